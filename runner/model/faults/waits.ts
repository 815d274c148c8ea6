import type { Clock } from "../../base/clock.js";
import type { CallOptions } from "../port/model-client.js";
import { lengthened } from "./retry.js";

/** a shorter wait is not reported */
const leastToldMs = 1_000;
/** A timer does not notice that the machine sleeps, and may be far too late afterwards. */
const longestNapMs = 30_000;

interface Wait {
  readonly reason: string;
  readonly untilMs: number;
  /** true when no cap counts the wait */
  readonly isUncounted: boolean;
}

export interface Waiter {
  readonly clock: Clock;
  /** 0 to 1; spreads the ends of waits, so that not all ask at once */
  readonly random: () => number;
  /** by default every wait is counted */
  readonly sleepUncounted?: Clock["sleep"] | undefined;
}

/** Waits for the ends of limits. */
export class LimitWaits {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #sleepUncounted: Clock["sleep"];

  constructor({ clock, random, sleepUncounted }: Waiter) {
    this.#clock = clock;
    this.#random = random;
    this.#sleepUncounted = sleepUncounted ?? ((ms, signal) => clock.sleep(ms, signal));
  }

  /** Uses the wall clock, for the machine may sleep; bounds the wait, for somebody may set that clock back. */
  async until({ reason, untilMs: endMs, isUncounted }: Wait, { onLimitWait, signal }: CallOptions): Promise<void> {
    const nowMs = this.#clock.now().getTime();
    const untilMs = nowMs + Math.ceil(lengthened(Math.max(0, endMs - nowMs), this.#random));
    const leftMs = () => untilMs - this.#clock.now().getTime();
    const waitMs = leftMs();
    if (waitMs >= leastToldMs)
      onLimitWait?.({ reason, waitMs: Math.round(waitMs), until: new Date(untilMs), isUncounted });
    for (let left = waitMs, most = waitMs; left > 0; left = Math.min(leftMs(), most)) {
      const napMs = Math.min(left, longestNapMs);
      if (isUncounted) await this.#sleepUncounted(napMs, signal);
      else await this.#clock.sleep(napMs, signal);
      most -= napMs;
    }
  }
}
