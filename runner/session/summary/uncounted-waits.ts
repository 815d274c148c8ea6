/** Events beside a question to a model, which do not end its wait. */
const beside = new Set([
  "isolation_receipt",
  "red_check",
  "seed_test_not_red",
  "base_suite",
  "hands_lost",
  "hands_restarted",
  "egress",
]);

/** The time between the events of a log, without what a run waited that no cap counts. */
export class UncountedWaits {
  /** of what comes next, so much may be waited */
  #leftMs = 0;

  /** Gives what counts of `passedMs`, the time since the event before. */
  counted(passedMs: number): number {
    const waitedMs = Math.min(passedMs, this.#leftMs);
    this.#leftMs -= waitedMs;
    return passedMs - waitedMs;
  }

  /** After `counted`; `waitMs` is what the event itself begins to wait so. */
  heard(type: string, waitMs: number): void {
    if (!goesOnBeside(type)) this.#leftMs = waitMs;
  }
}

/** Whether a wait for a limit may go on over an event of this type. */
export function goesOnBeside(type: string): boolean {
  return beside.has(type);
}
