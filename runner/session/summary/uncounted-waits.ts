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

/** Measures the time between the events of a log, without waits that no cap counts. */
export class UncountedWaits {
  /** the rest of a wait that is under way */
  #leftMs = 0;

  /** Returns how much of `passedMs`, the time since the event before, counts. */
  counted(passedMs: number): number {
    const waitedMs = Math.min(passedMs, this.#leftMs);
    this.#leftMs -= waitedMs;
    return passedMs - waitedMs;
  }

  /** Call it after `counted`; `waitMs` is the wait that this event begins, 0 for none. */
  heard(type: string, waitMs: number): void {
    if (!goesOnBeside(type)) this.#leftMs = waitMs;
  }
}

/** Tells whether a wait for a limit may go on after an event of this type. */
export function goesOnBeside(type: string): boolean {
  return beside.has(type);
}
