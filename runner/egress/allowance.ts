import { Transform } from "node:stream";

/** More was sent than is taken. */
export class TooMuch extends Error {}

type Seen = (bytes: number) => void;

/** What may come in all. */
export class Allowance {
  bytes = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Before anything comes: fails with TooMuch where `length` says that too much will. */
  expect(length: number, most: number): void {
    if (length > most) throw new TooMuch(`it is ${sizeText(length)}, and ${sizeText(most)} is the most that is taken`);
    if (this.bytes + length > this.#most) throw this.#spent();
  }

  /** Counts what has come already; fails with TooMuch beyond what may come in all. */
  add(bytes: number): void {
    this.expect(bytes, Number.POSITIVE_INFINITY);
    this.bytes += bytes;
  }

  /** Counts what a stream carries; fails it beyond `most`, or beyond what may come in all. */
  through(most: number, seen: Seen = () => undefined): Transform {
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
