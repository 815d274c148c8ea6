import type { Clock } from "../../support/clock.js";
import type { CallOptions } from "../model-client.js";

/** nobody needs to be told of a shorter wait */
const leastToldMs = 1_000;
/** A timer does not see the machine sleep, and may be far too late after it. */
const longestNapMs = 30_000;

interface Wait {
  readonly reason: string;
  readonly untilMs: number;
  /** no cap counts it */
  readonly isUncounted: boolean;
}

/** Waits for the ends of limits. */
export class LimitWaits {
  readonly #clock: Clock;
  readonly #sleepUncounted: Clock["sleep"];

  /** Without `sleepUncounted` every wait is counted. */
  constructor(clock: Clock, sleepUncounted: Clock["sleep"] = (ms, signal) => clock.sleep(ms, signal)) {
    this.#clock = clock;
    this.#sleepUncounted = sleepUncounted;
  }

  /** By the wall clock, for the machine may sleep meanwhile; never longer than it seemed, for somebody may set that clock back. */
  async until({ reason, untilMs, isUncounted }: Wait, { onLimitWait, signal }: CallOptions): Promise<void> {
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
