import { setTimeout as wait } from "node:timers/promises";
import { Interrupted } from "../errors.js";
import { awakeMs } from "./awake.js";

export interface Clock {
  /** the wall clock, for records */
  now(): Date;
  /** for caps, outages and time-outs: it stands still while the machine sleeps or this process is stopped */
  monotonicMs(): number;
  /** Fails with Interrupted when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
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
