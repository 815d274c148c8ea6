import type { RuffRules } from "../../hands/checks-port.js";
import type { Work } from "../../hands/work-port.js";
import type { EventSink, TaskSpan } from "../../session/events.js";
import type { ReadingContext } from "./reading-context.js";

/** What the worker's tools have to hand during one call. */
export interface WorkerContext extends ReadingContext {
  readonly work: Work;
  readonly events: EventSink;
  readonly span: TaskSpan;
  readonly toolTimeoutMs: number;
  /** how ruff is called in this session, known once its base was looked at; null where that could not be found out */
  ruffRules(): Promise<RuffRules | null>;
}
