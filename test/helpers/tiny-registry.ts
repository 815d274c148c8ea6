import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import { extract } from "tar-stream";

interface Blob {
  readonly type: string;
  readonly size: number;
  open(): NodeJS.ReadableStream;
}

/** An image registry on the loopback that serves one image of an engine, for pulling by digest. */
export class TinyRegistry implements AsyncDisposable {
  readonly #blobs = new Map<string, Blob>();
  readonly #server: Server;
  readonly #folder: string;
  reference = "";

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) =>
      this.#answer(request.url ?? "", request.method === "HEAD", response),
    );
  }

  static async serving(docker: Docker, image: string, name: string): Promise<TinyRegistry> {
    const registry = new TinyRegistry(await mkdtemp(join(tmpdir(), "tilth-registry-")));
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    const digest = await registry.#take(docker, image);
    const { port } = registry.#server.address() as AddressInfo;
    registry.reference = `127.0.0.1:${port}/${name}@${digest}`;
    return registry;
  }

  /** `docker save` gives the configuration and the layers; the manifest that names them is made here. */
  async #take(docker: Docker, image: string): Promise<string> {
    const files = new Map<string, string>();
    const unpack = extract();
    const saved = pipeline(await docker.getImage(image).get(), unpack);
    let manifest: { Config: string; Layers: string[] } | undefined;
    for await (const entry of unpack) {
      const { name } = entry.header;
      if (name === "manifest.json")
        manifest = JSON.parse(Buffer.concat(await Readable.from(entry).toArray()).toString())[0];
      else if (/\.(tar|json)$|^blobs\//.test(name)) files.set(name, await this.#keep(Readable.from(entry)));
      else entry.resume();
    }
    await saved;
    const described = (name: string, kind: string) => {
      const digest = files.get(name) ?? "";
      return { mediaType: `application/vnd.docker.${kind}`, size: this.#blobs.get(digest)?.size, digest };
    };
    const text = JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: described(manifest?.Config ?? "", "container.image.v1+json"),
      layers: (manifest?.Layers ?? []).map((layer) => described(layer, "image.rootfs.diff.tar.gzip")),
    });
    return this.#add(createHash("sha256").update(text).digest("hex"), {
      type: manifestType,
      size: text.length,
      open: () => new PassThrough().end(text),
    });
  }

  async #keep(content: AsyncIterable<Uint8Array>): Promise<string> {
    const hash = createHash("sha256");
    const path = join(this.#folder, String(this.#blobs.size));
    await pipeline(
      content,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(path),
    );
    const { size } = await stat(path);
    return this.#add(hash.digest("hex"), {
      type: "application/octet-stream",
      size,
      open: () => createReadStream(path),
    });
  }

  #add(hex: string, blob: Blob): string {
    this.#blobs.set(`sha256:${hex}`, blob);
    return `sha256:${hex}`;
  }

  #answer(url: string, headOnly: boolean, response: ServerResponse): void {
    const digest = /sha256:[0-9a-f]{64}$/.exec(url)?.[0];
    const blob = digest === undefined ? undefined : this.#blobs.get(digest);
    if (!blob || !digest) {
      response.writeHead(url === "/v2/" ? 200 : 404).end();
      return;
    }
    const { type, size } = blob;
    response.writeHead(200, { "content-type": type, "content-length": size, "docker-content-digest": digest });
    if (headOnly) response.end();
    else blob.open().pipe(response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const manifestType = "application/vnd.docker.distribution.manifest.v2+json";
