import type { CapMet } from "./context/caps.js";
import type { RunContext } from "./context/run-context.js";

/**
 * Whether the calls of one reply may go on. A task whose caps were met before is let finish, so its replies have the time
 * of one call each; a cap that is met meanwhile ends them at once.
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
