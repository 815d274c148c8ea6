import type { CapMet } from "./context/caps.js";
import type { RunContext } from "./context/run-context.js";

/**
 * Decides whether the calls of one reply may go on. A task that began its reply with a cap already met may finish, so
 * each of its replies gets the time of one call; a cap met during the reply ends it at once.
 */
export class CapsBetweenCalls {
  readonly #run: Pick<RunContext, "capMet" | "clock" | "settings">;
  readonly #began: number;
  readonly #wasMet: boolean;

  constructor(run: Pick<RunContext, "capMet" | "clock" | "settings">) {
    this.#run = run;
    this.#began = run.clock.monotonicMs();
    this.#wasMet = run.capMet() !== null;
  }

  met(): CapMet | null {
    const { clock, settings } = this.#run;
    const inTime = clock.monotonicMs() - this.#began <= settings.toolTimeoutSeconds * 1000;
    return this.#wasMet && inTime ? null : this.#run.capMet();
  }
}
