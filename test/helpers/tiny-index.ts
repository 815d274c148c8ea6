import { createHash } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type TinyPackage, wheelName, wheelOf } from "./tiny-wheel.js";

/** A package index on the loopback that counts requests. */
export class TinyIndex implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly #files = new Map<string, Map<string, Buffer>>();
  /** answers that are out of the ordinary, by path */
  readonly odd = new Map<string, RequestListener>();

  private constructor(private readonly server: Server) {}

  static async open(packages: readonly TinyPackage[]): Promise<TinyIndex> {
    const server = createServer();
    const index = new TinyIndex(server);
    for (const one of packages) index.add(one);
    server.on("request", (asked, answer) => {
      const { url = "" } = asked;
      index.asked.push(url);
      const odd = index.odd.get(url);
      if (odd) return odd(asked, answer);
      const found = index.#answer(url);
      if (found === null) answer.writeHead(404).end();
      else answer.writeHead(200, { "content-type": found.type, "content-length": found.body.length }).end(found.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return index;
  }

  add(one: TinyPackage): void {
    this.addFile(one.name, wheelName(one), wheelOf(one));
  }

  /** Adds a file with a name of its own, as a source archive has one. */
  addFile(project: string, name: string, bytes: Buffer): void {
    const files = this.#files.get(project) ?? new Map<string, Buffer>();
    this.#files.set(project, files.set(name, bytes));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/simple/`;
  }

  /** Closes the port, so that nothing listens there any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #answer(url: string): { type: string; body: Buffer } | null {
    const file = /^\/files\/(.*)$/.exec(url)?.[1];
    for (const files of this.#files.values()) {
      const body = files.get(file ?? "");
      if (body) return { type: "application/octet-stream", body };
    }
    const files = this.#files.get(/^\/simple\/([^/]+)\/$/.exec(url)?.[1] ?? "");
    if (!files) return null;
    const links = [...files].map(([name, bytes]) => `<a href="/files/${name}#sha256=${hashOf(bytes)}">${name}</a>`);
    return { type: "text/html", body: Buffer.from(`<!DOCTYPE html><html><body>${links.join("\n")}</body></html>`) };
  }
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
