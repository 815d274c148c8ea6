import type { CheckSandbox } from "./zygote.js";

export interface StartedAhead {
  readonly container: CheckSandbox;
  /** marks that the container waits no longer */
  taken(): void;
}

/** Starts a container ahead, or returns null when the most that may wait are waiting. */
export type StartAhead = (signal: AbortSignal) => Promise<StartedAhead | null>;
