import { Duplex } from "node:stream";
import { type Frame, ProtocolError } from "./frames.js";
import { kinds, sizes } from "./wire/protocol.js";

/** A tool call never waits behind a larger piece than this. */
const pieceBytes = 64 * 1024;
const mostStreams = 64;

export interface Outlet {
  send(kind: number, streamId: number, payload?: Uint8Array): void;
  /** settles when it is the caller's turn and the pipe takes more */
  room(): Promise<void>;
}

export type OnConnection = (connection: Duplex) => void;

/** The connections that programs in a container have made to their resident's listener. */
export class ContainerStreams {
  readonly #outlet: Outlet;
  readonly #onConnection: OnConnection;
  readonly #open = new Map<number, ContainerStream>();
  #newest = 0;

  constructor(outlet: Outlet, onConnection: OnConnection) {
    this.#outlet = outlet;
    this.#onConnection = onConnection;
  }

  static concerns({ kind }: Frame): boolean {
    return kind >= kinds.open && kind <= kinds.abandon;
  }

  take({ kind, callId, payload }: Frame): void {
    if (kind === kinds.open) this.#add(callId);
    // a stream that the brain has closed meanwhile is ignored
    else this.#open.get(callId)?.frame(kind, payload);
  }

  end(): void {
    for (const stream of [...this.#open.values()]) stream.abandoned();
  }

  #add(id: number): void {
    if (id <= this.#newest || this.#open.size >= mostStreams * 2) throw new ProtocolError("a stream that may not be");
    this.#newest = id;
    const stream = new ContainerStream(id, this.#outlet);
    this.#open.set(id, stream);
    stream.once("close", () => this.#open.delete(id));
    this.#onConnection(stream);
  }
}

class ContainerStream extends Duplex {
  readonly #id: number;
  readonly #outlet: Outlet;
  /** bytes that the resident may still send; `#taken` counts received ones not yet granted again */
  #window = sizes.window;
  #taken = 0;
  /** bytes that may still be sent to the resident */
  #credit = sizes.window;
  #gone = false;
  #wake: () => void = () => undefined;

  constructor(id: number, outlet: Outlet) {
    super({ readableHighWaterMark: pieceBytes, writableHighWaterMark: pieceBytes });
    this.#id = id;
    this.#outlet = outlet;
  }

  frame(kind: number, payload: Uint8Array): void {
    if (kind === kinds.bytes) this.#receive(payload);
    else if (kind === kinds.credit) this.#extend(payload);
    else if (kind === kinds.finish) this.push(null);
    else this.abandoned();
  }

  #receive(payload: Uint8Array): void {
    this.#window -= payload.length;
    if (this.#window < 0) throw new ProtocolError("more bytes of a stream than it had room for");
    this.#taken += payload.length;
    if (!this.destroyed) this.push(payload);
  }

  #extend(payload: Uint8Array): void {
    this.#credit += payload.length === 4 ? new DataView(payload.buffer, payload.byteOffset).getUint32(0) : Number.NaN;
    if (!(this.#credit <= sizes.window)) throw new ProtocolError("more room in a stream than there is");
    this.#wake();
  }

  abandoned(): void {
    this.#gone = true;
    this.destroy();
  }

  override _read(): void {
    if (this.#taken === 0 || this.#gone) return;
    const credit = Buffer.allocUnsafe(4);
    credit.writeUInt32BE(this.#taken);
    this.#window += this.#taken;
    this.#taken = 0;
    this.#outlet.send(kinds.credit, this.#id, credit);
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#deliver(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.#gone) this.#outlet.send(kinds.finish, this.#id);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const whole = this.readableEnded && this.writableFinished;
    if (!whole && !this.#gone) this.#outlet.send(kinds.abandon, this.#id);
    this.#gone = true;
    this.#wake();
    done(error);
  }

  async #deliver(chunk: Buffer): Promise<void> {
    for (let start = 0; start < chunk.length; ) {
      while (this.#credit === 0 && !this.#gone) await this.#creditCame();
      await this.#outlet.room();
      if (this.#gone) return;
      const size = Math.min(this.#credit, pieceBytes, chunk.length - start);
      this.#outlet.send(kinds.bytes, this.#id, chunk.subarray(start, start + size));
      this.#credit -= size;
      start += size;
    }
  }

  #creditCame(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
