import type { Frontend } from "./frontend.js";
import type { ReadingContext } from "./reading-context.js";

/** Context of one call of an interviewer's tool. */
export interface InterviewContext extends ReadingContext {
  readonly frontend: Pick<Frontend, "askUser">;
}
