/** Bytes that come in pieces, copied: a piece that is kept would keep all of the chunk that it came in. */
export class GrowingBytes {
  #held = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) this.#makeRoom(length);
    this.#held.set(piece, this.#length);
    this.#length = length;
  }

  /** All that came since the last time. */
  take(): Buffer {
    const taken = this.#held.subarray(0, this.#length);
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
