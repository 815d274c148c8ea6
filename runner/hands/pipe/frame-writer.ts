import type { Duplex } from "node:stream";
import { frameHeader } from "./frames.js";

/** Writes frames to a stream that says when it has taken enough. */
export class FrameWriter {
  readonly #stream: Duplex;
  /** callers waiting for the stream to take more */
  readonly #waiting: (() => void)[] = [];
  #turns: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on("drain", () => this.#goOn());
  }

  send(kind: number, callId: number, payload?: Uint8Array): void {
    if (this.#isOver) return;
    this.#stream.cork();
    this.#stream.write(frameHeader(kind, callId, payload?.length ?? 0));
    if (payload !== undefined && payload.length > 0) this.#stream.write(payload);
    this.#stream.uncork();
  }

  get isFull(): boolean {
    return this.#stream.writableNeedDrain;
  }

  /** Settles when a full stream takes more, or nothing will be sent any more. */
  drained(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Settles when it is the caller's turn and the stream takes more. */
  room(): Promise<void> {
    this.#turns = this.#turns.then(() => (this.isFull ? this.drained() : undefined));
    return this.#turns;
  }

  /** From now on nothing is sent, and nobody waits. */
  end(): void {
    this.#isOver = true;
    this.#goOn();
  }

  #goOn(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
