import { asleepMs } from "../../base/awake.js";

/** not 1: the resident counts from its last frame, which may have come well before this process was held up */
const shareOfLease = 0.75;

/** Tells whether this process has slept so long since `beforeMs` that a resident may have given it up. */
export function sleptALease(beforeMs: number, leaseMs: number): boolean {
  return asleepMs() - beforeMs >= leaseMs * shareOfLease;
}

/** Tells whether a resident ended because this process failed it: it was stopped, or its machine slept. */
export class AnsweredPings {
  readonly #asked: number[] = [];
  readonly #leaseMs: number;
  /** this process's sleep count when the last answered ping was sent */
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

  /**
   * An answer heard after the sleep may have been sent before it: only an answer to a ping sent since then proves life.
   */
  get sleptSince(): boolean {
    return sleptALease(this.#answered, this.#leaseMs);
  }
}
