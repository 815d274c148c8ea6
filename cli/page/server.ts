import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { TilthError } from "../../runner/base/errors.js";
import type { SessionId } from "../../runner/base/ids.js";
import { errnoCode } from "../../runner/disk/disk-trouble.js";
import type { SessionFiles, SessionStore } from "../../runner/index.js";
import type { PageAssets } from "./assets.js";
import { factsOf, listed } from "./facts.js";
import { livePage, type Mask, policyOf } from "./page.js";
import { type Address, type RequestedPage, wantedOf } from "./request-gate.js";
import { EventStream, type SideValue } from "./stream.js";

const mostConnections = 64;
const headerTimeoutMs = 5_000;
const idleMs = 5_000;

interface Served {
  readonly store: SessionStore;
  readonly assets: PageAssets;
  readonly mask: Mask;
}

/** Serves the pages of all sessions to this machine's own browser; nothing here changes anything. */
export class PageServer implements AsyncDisposable {
  readonly #served: Served;
  readonly #server: Server;
  readonly #ending = new AbortController();
  readonly #token = randomBytes(32).toString("base64url");

  static async start(served: Served): Promise<PageServer> {
    const started = new PageServer(served);
    started.#server.listen(0, "127.0.0.1");
    try {
      await once(started.#server, "listening");
    } catch (error) {
      throw cannotListen(error);
    }
    return started;
  }

  private constructor(served: Served) {
    this.#served = served;
    const limits = { headersTimeout: headerTimeoutMs, requestTimeout: headerTimeoutMs, keepAliveTimeout: idleMs };
    // a missing Host is refused by our own check, like a wrong one
    const options = { ...limits, connectionsCheckingInterval: 1_000, maxHeaderSize: 16_384, requireHostHeader: false };
    this.#server = createServer(options, (request, response) => this.#answer(request, response));
    this.#server.maxConnections = mostConnections;
    for (const odd of ["checkContinue", "checkExpectation"] as const)
      this.#server.on(odd, (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response));
    this.#server.on("connect", (_, socket) => socket.end(notAllowed));
  }

  /** The address of the list of sessions; the page of one session is at `s/<id>/` below it. */
  get address(): string {
    const { port, token } = this.#address();
    return `http://127.0.0.1:${port}/${token}/`;
  }

  /** Ends streams and unused connections at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #address(): Address {
    return { port: (this.#server.address() as AddressInfo).port, token: this.#token };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = "", url = "", rawHeaders } = request;
    for (const [name, value] of Object.entries(headersOf(this.#served.assets))) response.setHeader(name, value);
    const wanted = wantedOf({ method, target: url, rawHeaders }, this.#address());
    try {
      this.#give(wanted, response);
    } catch (error) {
      if (!(error instanceof TilthError)) throw error;
      refuse(response, error.code === "usage" ? 404 : 503);
    }
  }

  #give(wanted: RequestedPage, response: ServerResponse): void {
    switch (wanted.kind) {
      case "refused":
        refuse(response, wanted.status);
        break;
      case "sessions":
        this.#givePage(response, this.#sessions());
        break;
      case "session":
        this.#givePage(response, this.#facts(wanted.id));
        break;
      case "sessions-stream":
        this.#stream(response, { name: "sessions", value: () => this.#sessions().sessions }, null);
        break;
      case "session-stream":
        this.#streamSession(response, wanted.id, wanted.from);
        break;
    }
  }

  #streamSession(response: ServerResponse, id: SessionId, from: number): void {
    const { events } = this.#served.store.open(id).paths;
    this.#stream(response, { name: "facts", value: () => this.#factsIfThere(id) }, { path: events, from });
  }

  #givePage(response: ServerResponse, data: object): void {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(livePage(this.#served.assets, data, this.#served.mask));
  }

  #stream(
    response: ServerResponse,
    told: SideValue,
    log: { readonly path: string; readonly from: number } | null,
  ): void {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    response.setHeader("Content-Type", "text/event-stream; charset=utf-8");
    const signal = AbortSignal.any([gone.signal, this.#ending.signal]);
    new EventStream(response, this.#served.mask, signal).tell(told, log).then(
      () => response.end(),
      (error) => {
        response.destroy();
        // either the reader has gone, or the disk has failed; in both cases a browser asks again
        if (!signal.aborted && !(error instanceof TilthError)) throw error;
      },
    );
  }

  #sessions() {
    return { sessions: this.#served.store.list().map(listed) };
  }

  #facts(id: SessionId) {
    return factsOf(this.#served.store, this.#served.store.open(id), true);
  }

  #factsIfThere(id: SessionId): object | null {
    let files: SessionFiles;
    try {
      files = this.#served.store.open(id);
    } catch (error) {
      if (error instanceof TilthError && error.code === "usage") return null;
      throw error;
    }
    return factsOf(this.#served.store, files, true);
  }
}

const notAllowed = "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

function headersOf(assets: PageAssets): Readonly<Record<string, string>> {
  return {
    "Content-Security-Policy": `${policyOf(assets, "'self'")}; frame-ancestors 'none'`,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
  };
}

function refuse(response: ServerResponse, status: number): void {
  const said = { 403: "forbidden", 404: "not found", 405: "only GET", 503: "cannot be read now" }[status] ?? "no";
  if (status === 405) response.setHeader("Allow", "GET");
  response.setHeader("Connection", "close");
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.statusCode = status;
  response.end(`${said}\n`);
}

function cannotListen(error: unknown): unknown {
  const code = errnoCode(error);
  if (code === null) return error;
  return new TilthError(
    "infra",
    `cannot listen on 127.0.0.1 (${code})`,
    "check this machine's network, then try again",
    error,
  );
}
