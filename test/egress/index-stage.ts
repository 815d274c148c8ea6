import { once } from "node:events";
import { type IncomingHttpHeaders, type RequestListener, request } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { buffer, text } from "node:stream/consumers";
import type { DialOptions } from "../../runner/egress/dial.js";
import { IndexGateway } from "../../runner/egress/index/index-gateway.js";
import {
  type FetchRecord,
  type IndexGatewayLimits,
  indexGatewayLimits,
} from "../../runner/egress/index/index-limits.js";
import type { ProxySettings } from "../../runner/egress/upstream-proxy.js";
import { noProxies } from "../../runner/egress/upstream-proxy.js";
import type { Certified } from "../helpers/own-ca.js";
import { listening, Upstream } from "./egress-stage.js";

export interface IndexStageOptions {
  readonly indexes: readonly string[];
  readonly limits?: Partial<IndexGatewayLimits>;
  readonly resolve?: DialOptions["resolve"];
  readonly proxies?: ProxySettings;
  readonly ca?: string | null;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The gateway as a container would reach it, on a port of this machine. */
export class IndexStage implements AsyncDisposable {
  readonly records: FetchRecord[] = [];
  readonly gateway: IndexGateway;
  readonly port: number;
  readonly #front: Server;

  private constructor(front: Server, { indexes, limits, resolve, proxies = noProxies, ca = null }: IndexStageOptions) {
    this.#front = front;
    this.port = (front.address() as AddressInfo).port;
    this.gateway = new IndexGateway({
      indexes: indexes.map((url) => ({ url })),
      proxies,
      ca,
      limits: { ...indexGatewayLimits, connectMs: 2_000, idleMs: 5_000, ...limits },
      resolve,
      report: (record) => this.records.push(record),
    });
    front.on("connection", (socket) => this.gateway.accept(socket));
  }

  static async open(options: IndexStageOptions): Promise<IndexStage> {
    return new IndexStage(await listening(createServer({ allowHalfOpen: true })), options);
  }

  async get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
    const asked = request({ host: "127.0.0.1", port: this.port, path, method, headers, agent: false }).end();
    const [response] = await once(asked, "response");
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }

  /** The links on a project's page, in their order. */
  async links(path = "/0/pkg/"): Promise<readonly string[]> {
    const { body } = await this.get(path);
    return [...body.toString().matchAll(/href="([^"#]*)/g)].map(([, href = ""]) => href);
  }

  /** The answer to the first link on a project's page. */
  async first(path = "/0/pkg/"): Promise<Got> {
    const [href = "/none"] = await this.links(path);
    return await this.get(href);
  }

  /** Sends these bytes and gives everything that comes back until the gateway closes. */
  async raw(bytes: string): Promise<string> {
    const socket = connect({ port: this.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write(bytes);
    return await text(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    this.#front.close();
    await once(this.#front, "close");
  }
}

export async function secureUpstream(certified: Certified, listener: RequestListener): Promise<Upstream> {
  return new Upstream(await listening(createHttps({ ...certified }, listener)), "127.0.0.1");
}

/** A page that links to these URLs. */
export function pageOf(...urls: readonly string[]): string {
  return `<!DOCTYPE html><html><body>${urls.map((url) => `<a href="${url}">file</a>`).join("\n")}</body></html>`;
}

/** Answers by path, and with 404 for every other path. */
export function serving(pages: Readonly<Record<string, string | Buffer>>, seen: string[] = []): RequestListener {
  return ({ url = "", headers }, answer) => {
    seen.push(`${url} ${headers.authorization ?? "-"}`);
    const page = pages[url];
    answer.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" }).end(page ?? "");
  };
}

export function redirecting(to: () => string, status = 302): RequestListener {
  return (_, answer) => void answer.writeHead(status, { location: to() }).end();
}
