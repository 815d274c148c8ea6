import type { Duplex, Readable, Writable } from "node:stream";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { awakeMs } from "../base/awake.js";

/** Counts the bytes that have passed, and bounds them. */
export class Meter {
  out = 0;
  in = 0;
  lastMs: number;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
    this.lastMs = awakeMs();
  }

  /** Counts the bytes of a stream; fails it beyond the bound. */
  through(way: "in" | "out"): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        this[way] += chunk.length;
        this.lastMs = awakeMs();
        if (this.in + this.out > this.#most) done(new Error(`more than ${this.#most} bytes on one connection`));
        else done(null, chunk);
      },
    });
  }
}

/** Copies both ways until both have ended; each half may end alone. */
export async function relay(client: Duplex, upstream: Duplex, meter: Meter): Promise<void> {
  const ways: readonly [Readable, Writable, "in" | "out"][] = [
    [client, upstream, "out"],
    [upstream, client, "in"],
  ];
  try {
    await Promise.all(ways.map(([from, to, way]) => pipeline(from, meter.through(way), to)));
  } catch {
    // either end may close at any time; the other learns of it when its connection ends
  } finally {
    client.destroy();
    upstream.destroy();
  }
}
