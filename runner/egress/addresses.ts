import { BlockList, isIPv4, SocketAddress } from "node:net";

/**
 * Addresses that may be the machine itself or a host of its network, after the registries of special-purpose addresses.
 * Those for documentation are left out: they lead to no such host, and some networks have their way out there.
 */
const special4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Blocks of the public range that carry an IPv4 address inside: Teredo and 6to4. */
const special6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 32],
  ["2002::", 16],
];

const blocked4 = new BlockList();
for (const [network, prefix] of special4) blocked4.addSubnet(network, prefix, "ipv4");
const blocked6 = new BlockList();
for (const [network, prefix] of special6) blocked6.addSubnet(network, prefix, "ipv6");
const givenOut6 = new BlockList();
givenOut6.addSubnet("2000::", 3, "ipv6");

/** Returns one spelling for each address; an IPv4 address written as IPv6 becomes IPv4. */
export function canonicalAddress(address: string): string {
  if (isIPv4(address)) return address;
  const { address: shortest } = new SocketAddress({ address, family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(shortest);
  return mapped?.[1] ?? shortest;
}

/** Tells whether this is a host of the internet that anybody may reach. `address` is canonical. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !blocked4.check(address, "ipv4");
  return givenOut6.check(address, "ipv6") && !blocked6.check(address, "ipv6");
}
