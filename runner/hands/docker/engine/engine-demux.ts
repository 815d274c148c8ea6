import type { Outputs } from "../../pipe/channel.js";
import { Piece, ProtocolError } from "../../pipe/frames.js";

const headerSize = 8;
const stdout = 1;
const stderr = 2;
const stderrKept = 4096;

/**
 * The engine's own multiplexing of an attached stream: `u8 stream · 3 zero bytes · u32be length · bytes`. It is pulled,
 * chunk by chunk, because the engine client's own demultiplexer reads as fast as it can and buffers the rest.
 */
export class EngineDemux implements Outputs {
  #piece = new Piece(headerSize);
  #stream = stdout;
  #left = 0;
  #stderr = "";

  get stderr(): string {
    return this.#stderr.replace(/[^\x20-\x7e]+/g, " ").trim();
  }

  *read(chunk: Buffer): Generator<Buffer> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#left === 0) {
        const taken = Math.min(this.#piece.missing, chunk.length - offset);
        const header = this.#piece.take(chunk, offset);
        offset += taken;
        if (header !== null) this.#start(header);
        continue;
      }
      const part = chunk.subarray(offset, offset + this.#left);
      offset += part.length;
      this.#left -= part.length;
      if (this.#stream === stdout) yield part;
      else this.#stderr = (this.#stderr + part.toString("latin1")).slice(-stderrKept);
    }
  }

  #start(header: Buffer): void {
    this.#stream = header.readUInt8(0);
    this.#left = header.readUInt32BE(4);
    this.#piece = new Piece(headerSize);
    const known = this.#stream === stdout || this.#stream === stderr;
    if (!known || header.readUIntBE(1, 3) !== 0) throw new ProtocolError("the engine's stream has no known header");
  }
}
