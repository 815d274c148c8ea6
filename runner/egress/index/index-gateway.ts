import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { awakeMs } from "../../base/awake.js";
import { oneLine } from "../../text/sanitise.js";
import type { DialOptions } from "../dial.js";
import type { ProxySettings } from "../upstream-proxy.js";
import { Allowance } from "./allowance.js";
import { configuredIndex, IndexHosts } from "./configured-index.js";
import { Fetcher } from "./fetching.js";
import { IndexFiles } from "./index-files.js";
import { type FetchRecord, type IndexGatewayLimits, indexGatewayLimits } from "./index-limits.js";
import { JudgedAgents } from "./judged-agents.js";
import { NotFetched, NotTaken } from "./not-fetched.js";
import { Turns } from "./turns.js";

export interface PackageIndex {
  /** http or https; may contain a user and a password */
  readonly url: string;
}

export interface IndexGatewayOptions {
  readonly indexes: readonly PackageIndex[];
  readonly proxies: ProxySettings;
  /** certificates in PEM to trust beside those of Node */
  readonly ca: string | null;
  readonly limits?: IndexGatewayLimits;
  readonly resolve?: DialOptions["resolve"];
  readonly report?: (record: FetchRecord) => void;
}

const maxHeaderSize = 16 * 1024;
const mostSaid = 500;

/**
 * The way out of a container that installs packages. The container asks for a page of a configured index, or for a file
 * that such a page links to, by number. It names no host, and learns of none.
 */
export class IndexGateway implements AsyncDisposable {
  /** paths under which the container asks for the indexes, in their order */
  readonly paths: readonly string[];
  readonly #limits: IndexGatewayLimits;
  readonly #server: Server;
  readonly #agents: JudgedAgents;
  readonly #allowance: Allowance;
  readonly #files: IndexFiles;
  readonly #turns: Turns;
  readonly #gone = new AbortController();
  readonly #clients = new Map<Duplex, Client>();
  readonly #live = new Set<Promise<void>>();
  readonly #patrol: NodeJS.Timeout;
  #trouble: string | null = null;
  #refused: string | null = null;

  constructor({
    indexes,
    proxies,
    ca,
    resolve,
    report = () => undefined,
    limits = indexGatewayLimits,
  }: IndexGatewayOptions) {
    const { connectMs: timeoutMs, atOnce, idleMs, totalBytes } = limits;
    const configured = indexes.map(({ url }) => configuredIndex(url));
    const hosts = new IndexHosts(configured);
    const allowed = hosts.allowed.bind(hosts);
    this.paths = configured.map((_, n) => `/${n}/`);
    this.#limits = limits;
    this.#agents = new JudgedAgents({ allowed, proxies, timeoutMs, resolve, ca, mostIdle: atOnce });
    this.#allowance = new Allowance(totalBytes);
    const fetcher = new Fetcher({ agents: this.#agents, hosts, idleMs });
    this.#files = new IndexFiles({ indexes: configured, fetcher, allowance: this.#allowance, limits, report });
    this.#turns = new Turns(atOnce);
    this.#server = createServer({ maxHeaderSize, keepAliveTimeout: idleMs }, (asked, answer) =>
      this.#begin(asked, answer),
    );
    this.#server.on("connect", (_, client) => refuse(client));
    this.#server.on("upgrade", (_, client) => refuse(client));
    this.#server.on("clientError", (_, client) => refuse(client));
    this.#patrol = setInterval(() => this.#endIdle(awakeMs()), Math.min(500, idleMs));
    this.#patrol.unref();
  }

  /** The bytes that have come from outside. */
  get bytes(): number {
    return this.#allowance.bytes;
  }

  /** The first failure other than a missing page or file, in a sentence for a person. */
  trouble(): string | null {
    return this.#trouble;
  }

  /** The first thing that one of our rules kept out, in a sentence for a person; it would be kept out again. */
  refused(): string | null {
    return this.#refused;
  }

  /** Takes a connection that was made inside the container. */
  accept(client: Duplex): void {
    client.setMaxListeners(0);
    client.on("error", () => client.destroy());
    if (this.#gone.signal.aborted || this.#clients.size >= this.#limits.connections) return void client.destroy();
    this.#clients.set(client, { answer: null, sinceMs: awakeMs() });
    client.once("close", () => this.#clients.delete(client));
    this.#server.emit("connection", client);
  }

  /** On return every connection has ended, on both sides. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#patrol);
    this.#gone.abort(new Error("the gateway has ended"));
    for (const client of this.#clients.keys()) client.destroy();
    await Promise.all(this.#live);
    this.#agents[Symbol.dispose]();
  }

  #begin(asked: IncomingMessage, answer: ServerResponse): void {
    const socket: Duplex = asked.socket;
    const client = this.#clients.get(socket);
    // one at a time: requests that come before the answer to the last would have to be kept
    if (client === undefined || isBusy(client)) socket.destroy();
    else if (!isPlain(asked)) refuse(socket);
    else {
      client.answer = answer;
      const serving = this.#serve(asked, answer).finally(() => this.#live.delete(serving));
      this.#live.add(serving);
    }
  }

  async #serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const left = new AbortController();
    const leave = () => left.abort(new Error("nobody waits for it any more"));
    answer.once("close", leave);
    const signal = AbortSignal.any([this.#gone.signal, left.signal]);
    try {
      using _turn = await this.#turns.take(signal);
      await this.#files.serve(asked, answer, signal);
    } catch (error) {
      this.#fail(answer, error, signal);
    } finally {
      answer.off("close", leave);
    }
  }

  #fail(answer: ServerResponse, error: unknown, signal: AbortSignal): void {
    if (error instanceof NotFetched) {
      if (error.status !== 404) this.#trouble ??= oneLine(error.message, mostSaid);
      if (error instanceof NotTaken) this.#refused ??= oneLine(error.message, mostSaid);
      if (answer.headersSent) return void answer.destroy();
      const text = `${oneLine(error.message, mostSaid)}\n`;
      answer.writeHead(error.status, { "content-type": "text/plain; charset=utf-8" }).end(text);
    } else if (signal.aborted || answer.destroyed) answer.destroy();
    else throw error;
  }

  /** Ends idle connections. While something is fetched, the fetcher watches the time instead. */
  #endIdle(now: number): void {
    for (const [socket, client] of this.#clients)
      if (isBusy(client)) client.sinceMs = now;
      else if (now - client.sinceMs > this.#limits.idleMs) socket.destroy();
  }
}

interface Client {
  /** the answer to the latest request */
  answer: ServerResponse | null;
  /** the last moment at which it was busy */
  sinceMs: number;
}

function isBusy({ answer }: Client): boolean {
  return answer !== null && !answer.writableEnded && !answer.destroyed;
}

/** Accepts only requests with one reading: a path and no body. */
function isPlain({ method, url = "", httpVersion, headers }: IncomingMessage): boolean {
  const body = Number(headers["content-length"] ?? 0) !== 0 || headers["transfer-encoding"] !== undefined;
  return (method === "GET" || method === "HEAD") && httpVersion === "1.1" && url.startsWith("/") && !body;
}

function refuse(client: Duplex): void {
  if (client.destroyed) return;
  // the end of the connection is not seen unless everything before it is read
  client.resume();
  client.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}
