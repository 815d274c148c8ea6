import { isIP } from "node:net";
import { canonicalAddress } from "./addresses.js";
import { hostName } from "./host-name.js";

export interface Destination {
  /** a name in lower case, or an address in its one spelling */
  readonly host: string;
  readonly port: number;
}

/** Null for what can be no destination. */
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
