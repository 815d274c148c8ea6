import type { Reading } from "../../hands/reading-port.js";

/** What tools that only look have to hand during one call: the worker's as well as the interviewer's. */
export interface ReadingContext {
  readonly work: Reading;
  readonly signal: AbortSignal;
}
