import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Fields = Readonly<Record<string, unknown>>;

export interface FrontRequest {
  readonly path: string;
  readonly body: Fields;
}

/** A server on the loopback that stands in front of another one and keeps what it was asked. */
export abstract class Front implements AsyncDisposable {
  readonly asked: FrontRequest[] = [];
  readonly #server: Server;
  readonly #behind: string;

  protected constructor(behind: string) {
    this.#behind = behind;
    this.#server = createServer((request, response) => {
      // a failure behind breaks the connection in front
      this.#take(request, response).catch(() => response.destroy());
    });
    this.#server.keepAliveTimeout = 0;
  }

  protected async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  protected abstract serve(asked: FrontRequest, request: IncomingMessage, response: ServerResponse): Promise<void>;

  protected pass({ path, body }: FrontRequest, { headers }: IncomingMessage): Promise<Response> {
    const passed = { "content-type": "application/json", authorization: headers.authorization ?? "" };
    return fetch(this.#behind + path, { method: "POST", headers: passed, body: JSON.stringify(body) });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Fields;
    const asked = { path: (request.url ?? "").replace(/^\/v1/, ""), body };
    this.asked.push(asked);
    await this.serve(asked, request, response);
  }
}
