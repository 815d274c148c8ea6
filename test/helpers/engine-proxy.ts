import { mkdtempSync, rmSync } from "node:fs";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { ContainerCreateOptions } from "dockerode";

/** The ways to spoil a request: a status in place of an answer, an answer that says nothing, a line that goes dead. */
export const engineFaults = ["404", "409", "500", "null", "cut before", "cut after"] as const;
export type EngineFault = (typeof engineFaults)[number];

interface Strike {
  /** the request that it strikes, counted from one */
  readonly nth: number;
  readonly fault: EngineFault;
}

/** Gives the container that the engine makes in place of the one it was asked for. */
export type Lie = (asked: ContainerCreateOptions) => ContainerCreateOptions;

/**
 * Stands on a socket in front of the engine's, and spoils one answer, or has other containers made than were asked for.
 */
export class EngineProxy implements AsyncDisposable {
  /** requests since it was armed, in order */
  readonly asked: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "tilth-proxy-"));
  readonly #open = new Set<Duplex>();
  readonly #server: Server;
  #strike: Strike | null = null;
  /** null: every container is made as it was asked for */
  lie: Lie | null = null;

  private constructor(private readonly engine: string) {
    this.#server = createServer((asked, answer) => this.#pass(asked, answer));
    this.#server.on("upgrade", (asked, client, head) => this.#join(asked, client, head));
    this.#server.on("connection", (client) => this.#keep(client));
  }

  /** `engine` is the path of the engine's socket. */
  static async before(engine: string): Promise<EngineProxy> {
    const proxy = new EngineProxy(engine);
    await new Promise<void>((resolve) => proxy.#server.listen(join(proxy.#folder, "docker.sock"), resolve));
    return proxy;
  }

  get dockerHost(): string {
    return `unix://${join(this.#folder, "docker.sock")}`;
  }

  arm(strike: Strike | null): void {
    this.asked.length = 0;
    this.#strike = strike;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#open) stream.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #faultOf({ method, url = "" }: IncomingMessage): EngineFault | null {
    this.asked.push(`${method} ${url.replace(/\?.*/, "").replace(/[0-9a-f]{64}/, "…")}`);
    return this.asked.length === this.#strike?.nth ? this.#strike.fault : null;
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const fault = this.#faultOf(asked);
    if (fault === "cut before") return void asked.socket.destroy();
    if (fault === "null") return void answer.writeHead(200, { "content-type": "application/json" }).end("null");
    if (fault !== null && fault !== "cut after") return void refuse(answer, Number(fault));
    const { method, url, headers } = asked;
    const onward = request({ socketPath: this.engine, method, path: url, headers }, (answered) => {
      if (fault === "cut after") return void asked.socket.destroy();
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onward.on("error", () => asked.socket.destroy());
    if (this.lie === null || !asked.url?.includes("/containers/create")) asked.pipe(onward);
    else void passChanged(asked, onward, this.lie);
  }

  #join(asked: IncomingMessage, client: Duplex, head: Buffer): void {
    const fault = this.#faultOf(asked);
    if (fault === "null") return void client.end("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull");
    if (fault?.startsWith("cut")) return void client.destroy();
    if (fault !== null) return void client.end(`HTTP/1.1 ${fault} Refused\r\ncontent-length: 0\r\n\r\n`);
    const onward = this.#keep(connect(this.engine));
    const headers = Object.entries(asked.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    onward.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${headers.join("")}\r\n`);
    onward.write(head);
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  }

  #keep<T extends Duplex>(stream: T): T {
    this.#open.add(stream);
    stream.once("close", () => this.#open.delete(stream));
    return stream;
  }
}

async function passChanged(asked: IncomingMessage, onward: ClientRequest, lie: Lie): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk);
  const changed = JSON.stringify(lie(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
  onward.setHeader("content-length", Buffer.byteLength(changed));
  onward.end(changed);
}

function refuse(answer: ServerResponse, status: number): void {
  answer.writeHead(status, { "content-type": "application/json" }).end('{"message": "because"}');
}
