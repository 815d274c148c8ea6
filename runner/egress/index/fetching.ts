import { type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { asleepMs } from "../../base/awake.js";
import { DialRefused } from "../dial.js";
import { type ConfiguredIndex, type IndexHosts, serverOf } from "./configured-index.js";
import { type JudgedAgents, NotTrusted } from "./judged-agents.js";
import { discard, NotFetched, NotTaken } from "./not-fetched.js";

export interface IndexRequest {
  readonly url: URL;
  /** the index whose page led here */
  readonly index: ConfiguredIndex;
  /** false when somebody on the network may have written the page that led here */
  readonly secure: boolean;
  readonly method: "GET" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
}

export interface Fetched {
  readonly response: IncomingMessage;
  /** the address after all redirects */
  readonly url: URL;
}

export interface FetcherOptions {
  readonly agents: JudgedAgents;
  readonly hosts: IndexHosts;
  readonly idleMs: number;
}

const mostRedirects = 5;
const longestWaitMs = 10_000;
const secondAttemptMs = 500;

export class Fetcher {
  readonly #options: FetcherOptions;

  constructor(options: FetcherOptions) {
    this.#options = options;
  }

  /**
   * Returns the answer at the end of all redirects, each judged anew. Fails with NotFetched, or the signal's reason.
   */
  async fetch(wanted: IndexRequest, signal: AbortSignal): Promise<Fetched> {
    let { url, secure } = wanted;
    for (let hops = 0; hops <= mostRedirects; hops += 1) {
      this.#judge(url, secure);
      const response = await this.#patiently({ ...wanted, url }, signal);
      const next = redirectOf(response, url);
      if (next === null) return { response, url };
      discard(response);
      secure = url.protocol === "https:";
      url = next;
    }
    throw new NotTaken(502, `${wanted.url.host} redirects more than ${mostRedirects} times`);
  }

  #judge(url: URL, secure: boolean): void {
    if (serverOf(url) === null) throw new NotTaken(403, `${url.protocol}//${url.host} is no web server`);
    if (!this.#options.hosts.mayLead(secure, url))
      throw new NotTaken(403, `${url.host} is to be asked over plain HTTP, by what came over HTTPS`);
  }

  async #patiently(wanted: IndexRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const first = await this.#attempt(wanted, signal);
    const wait = first instanceof NotFetched ? (first.passing ? 0 : null) : waitAfter(first);
    if (wait === null) return gotten(first);
    if (!(first instanceof NotFetched)) discard(first);
    await sleep(wait, undefined, { signal });
    return gotten(await this.#attempt(wanted, signal));
  }

  #attempt({ url, index, method, headers }: IndexRequest, signal: AbortSignal): Promise<IncomingMessage | NotFetched> {
    const { agents, idleMs } = this.#options;
    const { host, port } = serverOf(url) ?? {};
    const own = url.origin === index.base.origin && index.authorization !== null;
    const authorization = own ? { authorization: index.authorization } : {};
    const options = {
      host,
      port,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, ...authorization },
      signal,
    };
    return new Promise((resolve, reject) => {
      const request =
        url.protocol === "https:"
          ? secureRequest({ ...options, agent: agents.secure })
          : plainRequest({ ...options, agent: agents.plain });
      endWhenIdle(request, idleMs);
      request.once("response", resolve);
      // this listener stays, because the connection may break while nobody reads it
      request.on("error", (error) => (signal.aborted ? reject(signal.reason) : resolve(reasonOf(error, url))));
      request.end();
    });
  }
}

/** A socket's own timer goes on while this process is stopped, so after a sleep it gets the whole time again. */
function endWhenIdle(request: ClientRequest, idleMs: number): void {
  let slept = asleepMs();
  request.on("timeout", () => {
    const now = asleepMs();
    if (now === slept) request.destroy(new Error(`nothing came for ${idleMs / 1000} seconds`));
    else request.setTimeout(idleMs);
    slept = now;
  });
  request.setTimeout(idleMs);
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return null;
  if (!URL.canParse(location, from.href)) throw new NotFetched(502, `${from.host} redirects to what is no address`);
  return new URL(location, from);
}

/** Returns the time until another attempt, or null when there is none. */
function waitAfter({ statusCode, headers }: IncomingMessage): number | null {
  const asked = headers["retry-after"];
  if (asked === undefined) return [502, 503, 504].includes(statusCode ?? 0) ? secondAttemptMs : null;
  if (statusCode !== 429 && statusCode !== 503) return null;
  const ms = /^\d{1,6}$/.test(asked) ? Number(asked) * 1000 : Number.POSITIVE_INFINITY;
  return ms <= longestWaitMs ? ms : null;
}

function gotten(outcome: IncomingMessage | NotFetched): IncomingMessage {
  if (outcome instanceof NotFetched) throw outcome;
  return outcome;
}

function reasonOf(error: Error, url: URL): NotFetched {
  if (error instanceof NotTrusted) {
    const remedy = "SSL_CERT_FILE can name a file of certificates to trust";
    return new NotFetched(502, `${error.message}; ${remedy}`);
  }
  if (!(error instanceof DialRefused))
    return new NotFetched(502, `${url.host} could not be reached: ${error.message}`, true);
  const judged = error.reason === "not_allowed" || error.reason === "private_address";
  if (!judged) return new NotFetched(502, error.message, true);
  const why = error.reason === "private_address" ? error.message : `${url.host} is an address of a private network`;
  return new NotTaken(403, `${why}, and no configured index`);
}
