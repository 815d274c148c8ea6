import { once } from "node:events";
import { createServer as createHttp, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { allowedHost } from "../../runner/egress/allow-list.js";
import type { DialOptions } from "../../runner/egress/dial.js";
import { type EgressLimits, EgressProxy, type EgressRecord } from "../../runner/egress/proxy.js";
import type { ProxySettings } from "../../runner/egress/upstream-proxy.js";
import { noProxies } from "../../runner/egress/upstream-proxy.js";

const limits: EgressLimits = {
  connections: 1_000,
  atOnce: 64,
  bytesPerConnection: 64 * 1024 * 1024,
  msPerConnection: 30_000,
  idleMs: 30_000,
};

export interface StageOptions {
  readonly allow?: readonly string[];
  readonly limits?: Partial<EgressLimits>;
  readonly resolve?: DialOptions["resolve"];
  readonly proxies?: ProxySettings;
}

/** The proxy as a container would reach it, on a port of this machine. */
export class EgressStage implements AsyncDisposable {
  readonly records: EgressRecord[] = [];
  readonly port: number;
  readonly #proxy: EgressProxy;
  readonly #front: Server;

  private constructor(front: Server, options: StageOptions) {
    this.#front = front;
    this.port = portOf(front);
    this.#proxy = new EgressProxy({
      dial: {
        allowed: (options.allow ?? []).map(allowed),
        proxies: options.proxies ?? noProxies,
        timeoutMs: 2_000,
        resolve: options.resolve,
      },
      limits: { ...limits, ...options.limits },
      report: (record) => this.records.push(record),
    });
    front.on("connection", (socket) => this.#proxy.accept(socket));
  }

  static async open(options: StageOptions = {}): Promise<EgressStage> {
    return new EgressStage(await listening(createServer({ allowHalfOpen: true })), options);
  }

  /** Sends these bytes and gives everything that comes back until the proxy closes. */
  async raw(bytes: string): Promise<string> {
    const socket = connect({ port: this.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write(bytes);
    return await text(socket);
  }

  /** Opens a tunnel, and gives the proxy's answer. */
  async tunnel(authority: string, more = ""): Promise<{ readonly head: string; readonly socket: Socket }> {
    const socket = connect({ port: this.port, host: "127.0.0.1" });
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${more}`);
    const [first] = (await once(socket, "data")) as [Buffer];
    return { head: first.toString("latin1"), socket };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    this.#front.close();
    await once(this.#front, "close");
  }
}

export function allowed(written: string) {
  const host = allowedHost(written);
  if (host === null) throw new Error(`${written} names no host`);
  return host;
}

/** A server on this machine that can be reached. */
export class Upstream implements AsyncDisposable {
  readonly port: number;
  connections = 0;

  constructor(
    private readonly server: Server,
    private readonly host: string,
  ) {
    this.port = portOf(server);
    server.on("connection", () => {
      this.connections += 1;
    });
  }

  static async http(listener: RequestListener, host = "127.0.0.1"): Promise<Upstream> {
    return new Upstream(await listening(createHttp(listener), host), host);
  }

  static async tcp(listener: (socket: Socket) => void): Promise<Upstream> {
    return new Upstream(await listening(createServer({ allowHalfOpen: true }, listener)), "127.0.0.1");
  }

  get at(): string {
    return `${this.host}:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    if ("closeAllConnections" in this.server)
      (this.server as unknown as { closeAllConnections(): void }).closeAllConnections();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

export async function listening(server: Server, host = "127.0.0.1"): Promise<Server> {
  server.listen(0, host);
  await once(server, "listening");
  return server;
}
