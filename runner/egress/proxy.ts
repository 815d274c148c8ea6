import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { awakeMs } from "../base/awake.js";
import { type Destination, destination, spelt } from "./destination.js";
import { type DialOptions, DialRefused, dial, type Refusal } from "./dial.js";
import { exchange } from "./exchange.js";
import { Meter, relay } from "./relay.js";

/** The outcome of a connection that a program in the container asked for. */
export interface EgressRecord extends Destination {
  /** the reason that there was no connection; null when there was one */
  readonly refusal: Refusal | null;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly ms: number;
}

export interface EgressLimits {
  /** connections in all; further requests are not even recorded */
  readonly connections: number;
  readonly atOnce: number;
  readonly bytesPerConnection: number;
  readonly msPerConnection: number;
  readonly idleMs: number;
}

export const egressLimits: EgressLimits = {
  connections: 10_000,
  atOnce: 64,
  bytesPerConnection: 4 * 1024 ** 3,
  msPerConnection: 30 * 60_000,
  idleMs: 60_000,
};

export interface EgressOptions {
  readonly dial: DialOptions;
  readonly limits: EgressLimits;
  /** called once for each requested connection, when it is over */
  readonly report: (record: EgressRecord) => void;
}

const maxHeaderSize = 16 * 1024;
const patrolMs = 500;
const mostSaid = 500;
const established = "HTTP/1.1 200 Connection established\r\n\r\n";

/** An HTTP proxy for the programs of one container; each of its connections is made by `dial`. */
export class EgressProxy implements AsyncDisposable {
  readonly #options: EgressOptions;
  readonly #server: Server;
  /** waiting clients, with the moment since which nothing is asked */
  readonly #idle = new Map<Duplex, number>();
  readonly #live = new Set<Live>();
  readonly #patrol: NodeJS.Timeout;
  #asked = 0;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#server = createServer({ maxHeaderSize });
    this.#server.on("connect", (asked, client, head) => void this.#tunnel(asked, client, head));
    this.#server.on("request", (asked, answer) => void this.#forward(asked, answer));
    this.#server.on("clientError", (_, client) => refuse(client, 400, "that is no request to a proxy"));
    this.#patrol = setInterval(() => this.#endOverdue(awakeMs()), patrolMs);
    this.#patrol.unref();
  }

  /** Takes a connection that was made inside the container. */
  accept(client: Duplex): void {
    client.setMaxListeners(0);
    client.on("error", () => client.destroy());
    if (this.#asked > this.#options.limits.connections) return void client.destroy();
    this.#idle.set(client, awakeMs());
    client.once("close", () => this.#idle.delete(client));
    this.#server.emit("connection", client);
  }

  /** On return every connection has ended and is reported. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#patrol);
    this.#asked = Number.POSITIVE_INFINITY;
    for (const client of this.#idle.keys()) client.destroy();
    for (const { client } of this.#live) client.destroy();
    await Promise.all([...this.#live].map(({ over }) => over));
  }

  async #tunnel({ url = "" }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const to = authority(url);
    if (to === null) return refuse(client, 400, "that is no host with a port");
    const refused = await this.#connected(to, client, async (upstream, meter) => {
      client.write(established);
      if (head.length > 0) client.unshift(head);
      await relay(client, upstream, meter);
    });
    if (refused !== null) refuse(client, statusOf(refused), said(refused, to));
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const given = asked.url ?? "";
    const url = URL.canParse(given) ? new URL(given) : null;
    const to = url?.protocol === "http:" ? destination(url.hostname, Number(url.port || 80)) : null;
    if (url === null || to === null) return answerWith(answer, 400, "that is no address of a web page");
    const refused = await this.#connected(to, asked.socket, (upstream, meter) =>
      exchange(url, { asked, answer, upstream, meter }),
    );
    if (refused !== null) answerWith(answer, statusOf(refused), said(refused, to));
  }

  /** Connects and runs `use`, or returns the reason for a refusal. Every request within the limit is reported once. */
  async #connected(to: Destination, client: Duplex, use: Use): Promise<DialRefused | null> {
    const { connections, atOnce, bytesPerConnection } = this.#options.limits;
    this.#asked += 1;
    if (this.#asked > connections) return new DialRefused("too_many", "no more connections are made in this run");
    const full =
      this.#live.size >= atOnce ? new DialRefused("too_many", `${atOnce} connections are open already`) : null;
    using live = new Live(client, bytesPerConnection);
    this.#live.add(live);
    this.#idle.delete(client);
    const refused = full ?? (await this.#join(to, live, use));
    this.#live.delete(live);
    if (!client.destroyed) this.#idle.set(client, awakeMs());
    this.#report(to, live, refused);
    return refused;
  }

  async #join(to: Destination, { meter, gone }: Live, use: Use): Promise<DialRefused | null> {
    try {
      const upstream = await dial(to, this.#options.dial, gone);
      gone.addEventListener("abort", () => upstream.destroy());
      if (gone.aborted) upstream.destroy();
      await use(upstream, meter).finally(() => upstream.destroy());
      return null;
    } catch (error) {
      if (error instanceof DialRefused) return error;
      throw error;
    }
  }

  #report({ host, port }: Destination, { meter, startedMs }: Live, refused: DialRefused | null): void {
    const ms = Math.round(awakeMs() - startedMs);
    this.#options.report({
      host,
      port,
      refusal: refused?.reason ?? null,
      bytesOut: meter.out,
      bytesIn: meter.in,
      ms,
    });
  }

  #endOverdue(now: number): void {
    const { idleMs, msPerConnection } = this.#options.limits;
    for (const [client, since] of this.#idle) if (now - since > idleMs) client.destroy();
    for (const { client, meter, startedMs } of this.#live)
      if (now - meter.lastMs > idleMs || now - startedMs > msPerConnection) client.destroy();
  }
}

/** A connection from its request to its report. */
class Live implements Disposable {
  readonly meter: Meter;
  readonly startedMs = awakeMs();
  readonly over: Promise<void>;
  readonly #gone = new AbortController();
  readonly #abort = () => this.#gone.abort(new Error("nobody waits for it any more"));
  #end: () => void = () => undefined;

  constructor(
    readonly client: Duplex,
    mostBytes: number,
  ) {
    this.meter = new Meter(mostBytes);
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    client.once("close", this.#abort);
  }

  /** aborts when nobody in the container waits for it any more */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  [Symbol.dispose](): void {
    this.client.off("close", this.#abort);
    this.#end();
  }
}

type Use = (upstream: Socket, meter: Meter) => Promise<void>;

function authority(text: string): Destination | null {
  const { host = "", port } = /^(?<host>\[[^\]]*\]|[^:]*):(?<port>\d{1,5})$/.exec(text)?.groups ?? {};
  return destination(host, Number(port));
}

/** The first line holds the reason too, because most programs show their user no more of it. */
function refuse(client: Duplex, status: number, why: string): void {
  if (client.destroyed) return;
  // the end of the connection is not seen unless everything before it is read
  client.resume();
  client.end(`HTTP/1.1 ${status} ${why}\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n${why}\n`);
}

function answerWith(answer: ServerResponse, status: number, why: string): void {
  answer.writeHead(status, why, { connection: "close", "content-type": "text/plain" }).end(`${why}\n`);
}

function statusOf({ reason }: DialRefused): number {
  if (reason === "too_many") return 503;
  return reason === "not_allowed" || reason === "private_address" ? 403 : 502;
}

function said({ reason, message }: DialRefused, { host, port }: Destination): string {
  const remedy = reason === "not_allowed" ? `; a person can allow it with --allow-host ${spelt({ host, port })}` : "";
  // the text may come from another proxy, and it goes into a line of the protocol
  return `${message}${remedy}`.replace(/[^\x20-\x7e]/g, "?").slice(0, mostSaid);
}
