/**
 * Collects bytes that come in pieces. It copies them, because a kept piece would keep the whole chunk it came in. Bytes
 * that it gave out stay as they are: later pieces are written behind them, or into other memory.
 */
export class GrowingBytes {
  #held = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get all(): Buffer {
    return this.#held.subarray(0, this.#length);
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) this.#makeRoom(length);
    this.#held.set(piece, this.#length);
    this.#length = length;
  }

  /** Returns all bytes that came since the last call. */
  take(): Buffer {
    const taken = this.all;
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }

  #makeRoom(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#held.length));
    this.#held.copy(larger, 0, 0, this.#length);
    this.#held = larger;
  }
}
