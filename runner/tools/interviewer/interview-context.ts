import type { ReadingContext } from "../reading/reading-context.js";
import type { Frontend } from "./frontend.js";

/** Context of one call of an interviewer's tool. */
export interface InterviewContext extends ReadingContext {
  readonly frontend: Pick<Frontend, "askUser">;
}
