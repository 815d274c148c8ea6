import type { Clock } from "../support/clock.js";

const beatMs = 1_000;
/** a little under the lease of a container: when nobody calls for that long, it ends by itself */
const stallMs = 45_000;

/** Whether this process itself was held up since: stopped, or on a machine that slept. */
export class StallWatch implements Disposable {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #timer: NodeJS.Timeout;
  #lastBeat: number;
  #longestMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#lastBeat = clock.monotonicMs();
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  get stalled(): boolean {
    this.#beat();
    return this.#longestMs >= stallMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const now = this.#clock.monotonicMs();
    this.#longestMs = Math.max(this.#longestMs, now - this.#lastBeat);
    this.#lastBeat = now;
  }
}
