import type { Work } from "../hands/work-port.js";
import type { EventSink, TaskSpan } from "../session/events.js";
import type { ReadingContext } from "./reading-context.js";

/** What the worker's tools have to hand during one call. */
export interface WorkerContext extends ReadingContext {
  readonly work: Work;
  readonly events: EventSink;
  readonly span: TaskSpan;
  readonly toolTimeoutMs: number;
  /** arguments of `ruff check` in force for this session */
  readonly ruffArgs: readonly string[];
}
