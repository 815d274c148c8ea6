import { isIP } from "node:net";
import { canonicalAddress } from "./addresses.js";
import { hostName } from "./host-name.js";

export interface Destination {
  /** a name in lower case, or a canonical address */
  readonly host: string;
  readonly port: number;
}

/** Returns null when host and port cannot be a destination. */
export function destination(host: string, port: number): Destination | null {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const bare = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  if (isIP(bare) !== 0) return bare.includes("%") ? null : { host: canonicalAddress(bare), port };
  const name = hostName(bare);
  return name === null ? null : { host: name, port };
}

export function spelt({ host, port }: Destination): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
