import type { Payload, TaskSpan } from "../session/log/events.js";
import { type Link, OpenSpan, problemOf, type SpanRecord } from "./open-span.js";
import { derivedSpanId } from "./span-ids.js";
import { int, text } from "./values.js";

export interface SessionFacts {
  readonly id: string;
  /** titles of the known tasks, by id */
  readonly titles: ReadonlyMap<string, string>;
}

interface Attempts {
  count: number;
  last: OpenSpan;
}

/**
 * One trace for each time a task is taken up, with one span per iteration. Tasks run one after the other, so the start
 * of the next task ends the iterations of the last. A task's own end does not, because after a crash a resume writes
 * it.
 */
export class TaskTraces {
  readonly #session: SessionFacts;
  readonly #tasks = new Map<string, OpenSpan>();
  readonly #attempts = new Map<string, Attempts>();
  /** iterations of the trace that was taken up last */
  readonly #iterations = new Map<string, OpenSpan>();
  #latest: string | null = null;

  constructor(session: SessionFacts) {
    this.#session = session;
  }

  /**
   * Returns the span of an iteration and yields the spans that have ended by then. `during` is the phase of the
   * session.
   */
  *iteration(span: TaskSpan, atMs: number, during: OpenSpan | null): Generator<SpanRecord, OpenSpan> {
    const { trace_id: traceId, span_id: spanId, iter } = span;
    let task = this.#tasks.get(traceId);
    if (task === undefined) {
      yield* this.#endIterations();
      task = this.#takeUp(span, atMs, during);
    }
    // the iteration of a late event has already ended, so the event belongs to its task
    if (traceId !== this.#latest) return task;
    const known = this.#iterations.get(spanId);
    if (known !== undefined) return known;
    const attributes = { "tilth.iteration": int(iter) };
    const iteration = new OpenSpan({ traceId, spanId, name: `iteration ${iter}`, atMs, parent: task, attributes });
    this.#iterations.set(spanId, iteration);
    return iteration;
  }

  done({ trace_id, sha }: Payload<"task_done">): void {
    this.#tasks.get(trace_id)?.set({ "tilth.task.outcome": text("done"), "tilth.commit": text(sha) });
  }

  failed({ trace_id, reason, detail }: Payload<"task_failed">): void {
    const task = this.#tasks.get(trace_id);
    if (task === undefined) return;
    task.set({ "tilth.task.outcome": text(`failed:${reason}`) });
    task.problem = problemOf(reason, detail);
  }

  *records(): Generator<SpanRecord> {
    yield* this.#endIterations();
    for (const task of this.#tasks.values()) yield task.record();
  }

  *#endIterations(): Generator<SpanRecord> {
    for (const iteration of this.#iterations.values()) yield iteration.record();
    this.#iterations.clear();
  }

  #takeUp({ task_id, trace_id: traceId }: TaskSpan, atMs: number, during: OpenSpan | null): OpenSpan {
    const before = this.#attempts.get(task_id);
    const count = (before?.count ?? 0) + 1;
    const task = new OpenSpan({
      traceId,
      spanId: derivedSpanId(traceId, "task"),
      name: `task ${task_id}`,
      atMs,
      parent: null,
      attributes: {
        "tilth.session": text(this.#session.id),
        "tilth.task.id": text(task_id),
        "tilth.task.title": text(this.#session.titles.get(task_id)),
        "tilth.task.attempt": int(count),
        "tilth.task.outcome": text("pending"),
      },
      links: [...linkTo(during, "phase"), ...linkTo(before?.last ?? null, "earlier attempt")],
    });
    this.#tasks.set(traceId, task);
    this.#latest = traceId;
    this.#attempts.set(task_id, { count, last: task });
    return task;
  }
}

function linkTo(span: OpenSpan | null, to: Link["to"]): readonly Link[] {
  return span === null ? [] : [{ traceId: span.traceId, spanId: span.spanId, to }];
}
