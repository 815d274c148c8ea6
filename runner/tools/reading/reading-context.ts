import type { Reading } from "../../hands/ports/reading.js";

/** Context of one call of a tool that only reads; the worker and the interviewer both have such tools. */
export interface ReadingContext {
  readonly work: Reading;
  readonly signal: AbortSignal;
}
