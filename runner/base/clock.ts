import { setTimeout as wait } from "node:timers/promises";
import { awakeMs } from "./awake.js";
import { Interrupted } from "./errors.js";

export interface Clock {
  /** the wall clock, for records */
  now(): Date;
  /** for caps, outages and time-outs: it stands still while the machine sleeps or this process is stopped */
  monotonicMs(): number;
  /** Fails with Interrupted when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A clock whose `monotonicMs` stands still during `sleepUncounted`, so that no cap counts those waits. */
export class RunClock implements Clock {
  readonly #clock: Clock;
  #leftOutMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    return this.#clock.now();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() - this.#leftOutMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  readonly sleepUncounted = async (ms: number, signal: AbortSignal): Promise<void> => {
    const before = this.#clock.monotonicMs();
    try {
      await this.#clock.sleep(ms, signal);
    } finally {
      this.#leftOutMs += this.#clock.monotonicMs() - before;
    }
  };
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: awakeMs,
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal });
    } catch {
      throw new Interrupted();
    }
  },
};
