import { GrowingBytes } from "./growing-bytes.js";

const lineEnd = 10;

/** Lines out of pieces of any size, each byte looked at once. */
export class LineReader {
  readonly #rest = new GrowingBytes();

  /** The lines that `chunk` completes, without their ends. */
  *read(chunk: Uint8Array): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, from)) {
      this.#rest.add(chunk.subarray(from, end));
      from = end + 1;
      yield this.#rest.take().toString("utf8");
    }
    this.#rest.add(chunk.subarray(from));
  }
}
