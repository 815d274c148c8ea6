import type { Frontend } from "./frontend.js";
import type { ReadingContext } from "./reading-context.js";

/** What the interviewer's tools have to hand during one call. */
export interface InterviewContext extends ReadingContext {
  readonly frontend: Pick<Frontend, "askUser">;
}
