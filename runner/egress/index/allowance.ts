import { Transform } from "node:stream";

/** The other side sent more than is accepted. */
export class TooMuch extends Error {}

type OnBytes = (bytes: number) => void;

/** The number of bytes that may come in all, and those that have come. */
export class Allowance {
  bytes = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Call this before anything comes: fails with TooMuch when `length` says that too much will. */
  expect(length: number, most: number): void {
    if (length > most) throw new TooMuch(`it is ${sizeText(length)}, and ${sizeText(most)} is the most that is taken`);
    if (this.bytes + length > this.#most) throw this.#spent();
  }

  /** Counts bytes that have come already; fails with TooMuch beyond the total. */
  add(bytes: number): void {
    this.expect(bytes, Number.POSITIVE_INFINITY);
    this.bytes += bytes;
  }

  /** Counts the bytes of a stream; fails it beyond `most`, or beyond the total. */
  through(most: number, seen: OnBytes = () => undefined): Transform {
    let own = 0;
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        own += chunk.length;
        this.bytes += chunk.length;
        seen(chunk.length);
        if (own > most) done(new TooMuch(`it is more than ${sizeText(most)}, the most that is taken`));
        else if (this.bytes > this.#most) done(this.#spent());
        else done(null, chunk);
      },
    });
  }

  #spent(): TooMuch {
    return new TooMuch(`with it, more than ${sizeText(this.#most)} would have been fetched`);
  }
}

function sizeText(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3;
  return gigabytes >= 1 ? `${Number(gigabytes.toFixed(1))} GB` : `${Number((bytes / 1024 ** 2).toFixed(1))} MB`;
}
