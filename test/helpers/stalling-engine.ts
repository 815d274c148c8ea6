import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The engine behind a wire that can be cut without either side noticing. */
export class StallingEngine implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private stalled = false,
  ) {
    server.on("connection", (client) => this.#join(client, connect("/var/run/docker.sock")));
  }

  static async open(): Promise<StallingEngine> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new StallingEngine(server);
  }

  get address(): string {
    return `tcp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stall(): void {
    this.stalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  #join(client: Socket, engine: Socket): void {
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.on("data", (chunk) => to.write(chunk));
      from.on("end", () => to.end());
      if (this.stalled) from.pause();
    }
  }
}
