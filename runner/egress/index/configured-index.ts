import { isIP } from "node:net";
import { isPublic } from "../addresses.js";
import type { AllowedHost } from "../allow-list.js";
import { type Destination, destination, spelt } from "../destination.js";

/** A package index as a person configured it. */
export interface ConfiguredIndex {
  /** without user and password, and with a slash at its end */
  readonly base: URL;
  /** sent to the index's own origin and to nobody else */
  readonly authorization: string | null;
}

export function configuredIndex(address: string): ConfiguredIndex {
  const base = new URL(address);
  const { username, password } = base;
  base.username = "";
  base.password = "";
  base.search = "";
  base.hash = "";
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  return { base, authorization: username + password === "" ? null : `Basic ${credentials}` };
}

/** Returns an index's address without user and password, which identifies it in messages and records. */
export function indexAddress(address: string): string {
  return configuredIndex(address).base.href;
}

/** Returns null for a URL that is no web server's. */
export function serverOf({ protocol, hostname, port }: URL): Destination | null {
  if (protocol !== "https:" && protocol !== "http:") return null;
  return destination(hostname, Number(port) || (protocol === "https:" ? 443 : 80));
}

/** Decides which hosts may be reached on behalf of an index, and where plain HTTP may be used. */
export class IndexHosts {
  readonly #own: ReadonlySet<string>;
  readonly #plain: ReadonlySet<string>;

  constructor(indexes: readonly ConfiguredIndex[]) {
    const bases = indexes.map(({ base }) => base);
    this.#own = new Set(bases.flatMap((base) => serverOf(base) ?? []).map(spelt));
    this.#plain = new Set(bases.filter(({ protocol }) => protocol === "http:").map(({ origin }) => origin));
  }

  /** A configured index may stand in a private network; hosts named by its pages and redirects may not. */
  allowed(to: Destination): AllowedHost {
    const own = this.#own.has(spelt(to));
    const covers = (asked: string) => own || (asked === to.host && isIP(asked) === 0) || isOpen(asked);
    return { text: spelt(to), covers, ports: [to.port] };
  }

  /** A page that came over HTTPS must not lead to plain HTTP, except at an index that a person configured so. */
  mayLead(secure: boolean, { protocol, origin }: URL): boolean {
    return protocol === "https:" || !secure || this.#plain.has(origin);
  }
}

function isOpen(asked: string): boolean {
  return isIP(asked) !== 0 && isPublic(asked);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
