import type { Output } from "./output.js";

/** What every verb is given. */
export interface Surroundings {
  readonly output: Output;
  readonly signal: AbortSignal;
}
