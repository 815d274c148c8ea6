import type { Clock } from "../../runner/base/clock.js";
import { Interrupted } from "../../runner/base/errors.js";

/** Time passes when a test says so, and a little with every look at the wall clock. */
export class SteppingClock implements Clock {
  readonly slept: number[] = [];
  #ms = 0;
  #looks = 0;
  #set = 0;

  now(): Date {
    this.#looks += 1;
    return new Date(Date.UTC(2030, 0, 1) + this.#ms + this.#looks + this.#set);
  }

  monotonicMs(): number {
    return this.#ms;
  }

  /** Plays a person or the network setting the wall clock; no time passes. */
  setBy(ms: number): void {
    this.#set += ms;
  }

  pass(ms: number): void {
    this.#ms += ms;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Interrupted();
    this.slept.push(ms);
    this.#ms += ms;
  }
}
