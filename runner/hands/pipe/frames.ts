import { magicLine, sizes } from "./wire/protocol.js";

export const magic = Buffer.from(magicLine);
const headerSize = 9;
/** kind and call id, which count as part of what the length says */
const beforePayload = 5;
export const maxPayload = sizes.frame - beforePayload;

export interface Frame {
  readonly kind: number;
  readonly callId: number;
  readonly payload: Uint8Array;
}

/** The other end does not keep to the protocol. */
export class ProtocolError extends Error {}

export function frameHeader(kind: number, callId: number, payloadLength: number): Buffer {
  const header = Buffer.allocUnsafe(headerSize);
  header.writeUInt32BE(payloadLength + beforePayload, 0);
  header.writeUInt8(kind, 4);
  header.writeUInt32BE(callId, 5);
  return header;
}

/**
 * Collects exactly `size` bytes out of chunks of any size. A piece within one chunk is a view of it; any other is
 * copied once, into a buffer of its own size, so that tiny chunks cost no more than large ones.
 */
export class Piece {
  readonly #size: number;
  #buffer: Buffer | null = null;
  #filled = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get missing(): number {
    return this.#size - this.#filled;
  }

  /** Returns the whole piece once `chunk` from `offset` on completes it. Takes `min(missing, what is there)` bytes. */
  take(chunk: Buffer, offset: number): Buffer | null {
    const end = Math.min(chunk.length, offset + this.missing);
    if (this.#filled === 0 && end - offset === this.#size) return chunk.subarray(offset, end);
    this.#buffer ??= Buffer.allocUnsafe(this.#size);
    this.#filled += chunk.copy(this.#buffer, this.#filled, offset, end);
    return this.missing === 0 ? this.#buffer : null;
  }
}

export class FrameReader {
  #piece = new Piece(headerSize);
  #header: { kind: number; callId: number } | null = null;

  *read(chunk: Buffer): Generator<Frame> {
    let offset = 0;
    while (offset < chunk.length || this.#piece.missing === 0) {
      const taken = Math.min(this.#piece.missing, chunk.length - offset);
      const whole = this.#piece.take(chunk, offset);
      offset += taken;
      if (whole === null) return;
      if (this.#header === null) {
        this.#start(whole);
      } else {
        const { kind, callId } = this.#header;
        this.#header = null;
        this.#piece = new Piece(headerSize);
        yield { kind, callId, payload: whole };
      }
    }
  }

  #start(header: Buffer): void {
    const payloadLength = header.readUInt32BE(0) - beforePayload;
    if (payloadLength < 0 || payloadLength > maxPayload) throw new ProtocolError(`a frame of ${payloadLength} bytes`);
    this.#header = { kind: header.readUInt8(4), callId: header.readUInt32BE(5) };
    this.#piece = new Piece(payloadLength);
  }
}
