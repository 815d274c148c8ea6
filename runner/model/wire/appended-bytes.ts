const smallest = 4 * 1024;

/**
 * Bytes that grow at their end. What was given out stays as it is: bytes are only ever written behind it, or into other
 * memory.
 */
export class AppendedBytes {
  #memory: Buffer;
  #length = 0;

  constructor(start: Uint8Array = new Uint8Array()) {
    this.#memory = Buffer.allocUnsafe(Math.max(smallest, 2 * start.length));
    this.#put(start);
  }

  get length(): number {
    return this.#length;
  }

  get all(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  append(text: string): void {
    const bytes = Buffer.from(text);
    if (this.#length + bytes.length > this.#memory.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + bytes.length));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    this.#put(bytes);
  }

  #put(bytes: Uint8Array): void {
    this.#memory.set(bytes, this.#length);
    this.#length += bytes.length;
  }
}
