import type { Duplex, Readable, Writable } from "node:stream";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { awakeMs } from "../base/awake.js";

/** What has passed, and how much more may. */
export class Meter {
  out = 0;
  in = 0;
  lastMs: number;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
    this.lastMs = awakeMs();
  }

  /** Counts what a stream carries; fails it beyond the bound. */
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

/** Both ways until both have ended; each half may end alone. */
export async function relay(client: Duplex, upstream: Duplex, meter: Meter): Promise<void> {
  const ways: readonly [Readable, Writable, "in" | "out"][] = [
    [client, upstream, "out"],
    [upstream, client, "in"],
  ];
  try {
    await Promise.all(ways.map(([from, to, way]) => pipeline(from, meter.through(way), to)));
  } catch {
    // either end may go when it likes; the other is told by its connection ending
  } finally {
    client.destroy();
    upstream.destroy();
  }
}
