import { GrowingBytes } from "../base/growing-bytes.js";

/** Cuts pieces of any size into records and looks at each byte once. */
export class RecordReader {
  readonly #rest = new GrowingBytes();

  /** `end` is the byte that ends a record. */
  constructor(private readonly end: number) {}

  /** Yields the records that `chunk` completes, without their ends; each is valid until the next one is asked for. */
  *read(chunk: Uint8Array): Generator<Buffer> {
    let from = 0;
    for (let end = chunk.indexOf(this.end); end >= 0; end = chunk.indexOf(this.end, from)) {
      yield this.#whole(chunk.subarray(from, end));
      from = end + 1;
    }
    this.#rest.add(chunk.subarray(from));
  }

  #whole(last: Uint8Array): Buffer {
    if (this.#rest.length === 0) return Buffer.from(last.buffer, last.byteOffset, last.byteLength);
    this.#rest.add(last);
    return this.#rest.take();
  }
}
