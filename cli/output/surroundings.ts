import type { Output } from "./output.js";

/** The things every verb is given. */
export interface Surroundings {
  readonly output: Output;
  readonly signal: AbortSignal;
}
