import type { Work } from "../hands/hands.js";
import type { EventSink, TaskSpan } from "../session/events.js";

/** What the worker's tools have to hand during one call. */
export interface WorkerContext {
  readonly work: Work;
  readonly events: EventSink;
  readonly span: TaskSpan;
  readonly toolTimeoutMs: number;
  /** arguments of `ruff check` in force for this session */
  readonly ruffArgs: readonly string[];
  readonly signal: AbortSignal;
}
