import { asleepMs } from "../base/awake.js";

/** a runner counts from the last frame it had, which may have been sent a while before this process was held up */
const shareOfLease = 0.75;

/** Whether this process has slept for so long, since it had slept for `beforeMs`, that a runner may have given it up. */
export function sleptALease(beforeMs: number, leaseMs: number): boolean {
  return asleepMs() - beforeMs >= leaseMs * shareOfLease;
}

/** Whether a runner that has gone was let down by this process, which was stopped or on a machine that slept. */
export class AnsweredPings {
  readonly #asked: number[] = [];
  readonly #leaseMs: number;
  /** how long this process had slept when the last answered ping was sent */
  #answered = asleepMs();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  sent(): void {
    this.#asked.push(asleepMs());
  }

  answered(): void {
    this.#answered = this.#asked.shift() ?? this.#answered;
  }

  /** An answer heard after the sleep may have been said before it: only an answer to a ping of this side of it proves life. */
  get sleptSince(): boolean {
    return sleptALease(this.#answered, this.#leaseMs);
  }
}
