import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { awakeSignal } from "../base/awake.js";
import { canonicalAddress, isPublic } from "./addresses.js";
import { type AllowedHost, isAllowed } from "./allow-list.js";
import { connected } from "./connected.js";
import { type Destination, spelt } from "./destination.js";
import type { ProxySettings } from "./upstream-proxy.js";
import { proxyFor, throughProxy } from "./upstream-proxy.js";

export type Refusal = "not_allowed" | "private_address" | "not_found" | "not_reached" | "too_many";

/** A connection that was not made. */
export class DialRefused extends Error {
  constructor(
    readonly reason: Refusal,
    message: string,
  ) {
    super(message);
  }
}

export interface DialOptions {
  readonly allowed: readonly AllowedHost[];
  readonly proxies: ProxySettings;
  readonly timeoutMs: number;
  /** returns every address that a name has at this moment */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
}

/**
 * The only way out for a connection that a container asks for: it judges the name, resolves it once, judges each
 * address, and connects to an address that it judged. Fails with Refused.
 */
export async function dial(to: Destination, options: DialOptions, signal: AbortSignal): Promise<Socket> {
  const { allowed, proxies } = options;
  if (!isAllowed(allowed, to)) throw new DialRefused("not_allowed", `${spelt(to)} is not allowed`);
  const proxy = proxyFor(to, proxies);
  const within = () => AbortSignal.any([signal, awakeSignal(options.timeoutMs)]);
  if (proxy !== null && isIP(to.host) === 0) return await reaching(to, throughProxy(proxy, to, within()));
  const addresses = await addressesOf(to, options, within());
  return await reaching(
    to,
    firstOf(addresses, (host) => connected({ host, port: to.port }, within())),
  );
}

/** Returns the addresses that may be connected to. */
async function addressesOf(
  to: Destination,
  { allowed, resolve = systemAddresses }: DialOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { host, port } = to;
  const all = isIP(host) === 0 ? await resolved(host, Promise.race([resolve(host), over(signal)])) : [host];
  const open = all.filter((address) => isPublic(address) || isAllowed(allowed, { host: address, port }));
  if (open.length > 0) return open;
  throw new DialRefused("private_address", `${spelt(to)} leads to ${all[0]}, an address of a private network`);
}

async function resolved(host: string, resolving: Promise<readonly string[]>): Promise<readonly string[]> {
  const found = await resolving.catch(() => []);
  const usable = found.filter((address) => isIP(address) !== 0 && !address.includes("%"));
  if (usable.length === 0) throw new DialRefused("not_found", `the host ${host} was not found`);
  return usable.map(canonicalAddress);
}

function over(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export async function systemAddresses(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

async function firstOf(addresses: readonly string[], connect: (host: string) => Promise<Socket>): Promise<Socket> {
  const failures: unknown[] = [];
  for (const address of addresses) {
    try {
      return await connect(address);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

async function reaching(to: Destination, connecting: Promise<Socket>): Promise<Socket> {
  try {
    return await connecting;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DialRefused("not_reached", `${spelt(to)} could not be reached: ${why}`);
  }
}
