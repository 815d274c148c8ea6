import type { RuffRules } from "../../hands/ports/checks/ruff.js";
import type { Work } from "../../hands/ports/work.js";
import type { EventSink, TaskSpan } from "../../session/log/events.js";
import type { ReadingContext } from "../reading/reading-context.js";

/** Context of one call of a worker's tool. */
export interface WorkerContext extends ReadingContext {
  readonly work: Work;
  readonly events: EventSink;
  readonly span: TaskSpan;
  readonly toolTimeoutMs: number;
  /** the way ruff is called in this session, known once its base was looked at; null where it could not be found out */
  ruffRules(): Promise<RuffRules | null>;
}
