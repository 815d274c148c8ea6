import { isIP } from "node:net";
import { canonicalAddress } from "./addresses.js";
import type { Destination } from "./destination.js";
import { hostName } from "./host-name.js";

/** A host that a person has allowed, or all names below one. Without a port, the ports of the web are allowed. */
export interface AllowedHost {
  /** the spelling that the person used */
  readonly text: string;
  readonly covers: (host: string) => boolean;
  readonly ports: readonly number[];
}

const webPorts = [443, 80];
const address = /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<four>[0-9.]+)):(?<port>\d{1,5})$/;
const name = /^(?<wildcard>\*\.)?(?<host>[^:]+)(?::(?<port>\d{1,5}))?$/;

/** Returns null for a text that names no host. An address counts only with its port. */
export function allowedHost(text: string): AllowedHost | null {
  const { six, four, port: ofAddress } = address.exec(text)?.groups ?? {};
  if (ofAddress !== undefined) return allowedAddress(text, six ?? four ?? "", Number(ofAddress));
  const { wildcard, host = "", port } = name.exec(text)?.groups ?? {};
  const wanted = hostName(host);
  const ports = port === undefined ? webPorts : [Number(port)];
  if (wanted === null || !ports.every(isPort)) return null;
  const covers = wildcard ? (asked: string) => asked.endsWith(`.${wanted}`) : (asked: string) => asked === wanted;
  return { text, covers, ports };
}

export function isAllowed(list: readonly AllowedHost[], { host, port }: Destination): boolean {
  return list.some(({ covers, ports }) => ports.includes(port) && covers(host));
}

function allowedAddress(text: string, given: string, port: number): AllowedHost | null {
  if (isIP(given) === 0 || !isPort(port)) return null;
  const wanted = canonicalAddress(given);
  return { text, covers: (asked) => asked === wanted, ports: [port] };
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}
