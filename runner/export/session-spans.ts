import type { TilthEvent } from "../session/log/events.js";
import { type Moment, momentOf, toolCall } from "./moments.js";
import { occurrenceOf } from "./occurrences.js";
import { OpenCalls } from "./open-calls.js";
import { type Occurrence, Occurrences, OpenSpan, type SpanRecord } from "./open-span.js";
import { SessionTrace } from "./session-trace.js";
import { derivedSpanId } from "./span-ids.js";
import { type SessionFacts, TaskTraces } from "./task-traces.js";

/** The first events of a process: everything an earlier process left open has ended. */
const firstWords: ReadonlySet<TilthEvent["type"]> = new Set([
  "torn_tail",
  "lock_taken_over",
  "session_start",
  "session_resume",
]);

const failedAttempts: ReadonlySet<TilthEvent["type"]> = new Set(["model_retry", "limit_wait", "parameter_left_out"]);

interface Where {
  readonly atMs: number;
  /** the iteration, or the span in its place outside of dialogues */
  readonly iteration: OpenSpan;
  /** the innermost span around it */
  readonly place: OpenSpan;
}

/**
 * Turns a session's events into spans. A span is yielded as soon as nothing can be added to it, so memory grows with
 * the number of tasks and runs, not with what happens in them.
 */
export class SessionSpans {
  readonly #session: SessionFacts;
  readonly #tasks: TaskTraces;
  readonly #calls: OpenCalls;
  readonly #retries = new WaitingRetries();
  #own: SessionTrace | null = null;

  constructor(session: SessionFacts) {
    this.#session = session;
    this.#tasks = new TaskTraces(session);
    this.#calls = new OpenCalls(session.id);
  }

  *add(event: TilthEvent): Generator<SpanRecord> {
    const atMs = Date.parse(event.ts);
    this.#own ??= new SessionTrace(this.#session.id, atMs);
    const own = this.#own;
    if (firstWords.has(event.type)) yield* this.#settle(own);
    if (event.type === "session_start" || event.type === "session_resume") own.begin(event, atMs);
    own.cover(atMs);
    const iteration = yield* this.#iterationOf(event, atMs, own);
    const place = this.#calls.of(iteration) ?? iteration;
    place.cover(atMs);
    yield* this.#take(event, { atMs, iteration, place });
    if (event.type !== "stop") return;
    own.stopped(event.payload);
    yield* this.#settle(own);
  }

  *end(): Generator<SpanRecord> {
    if (this.#own === null) return;
    yield* this.#settle(this.#own);
    yield* this.#tasks.records();
    yield* this.#own.records();
  }

  *#iterationOf({ payload }: TilthEvent, atMs: number, own: SessionTrace): Generator<SpanRecord, OpenSpan> {
    if (!("iter" in payload) || payload.iter === undefined) return own.place;
    const { task_id, trace_id, span_id, iter } = payload;
    if (task_id === undefined || trace_id === undefined || span_id === undefined) return own.iteration(iter, atMs);
    return yield* this.#tasks.iteration({ task_id, trace_id, span_id, iter }, atMs, own.phase);
  }

  *#take(event: TilthEvent, { atMs, iteration, place }: Where): Generator<SpanRecord> {
    switch (event.type) {
      case "tool_call":
        yield* this.#calls.giveUp([iteration]);
        this.#calls.begin(iteration, event.payload, { spanId: spanIdOf(event, iteration), ms: atMs });
        break;
      case "tool_result":
        yield this.#answered(event, { atMs, iteration, place });
        break;
      case "task_done":
        this.#tasks.done(event.payload);
        break;
      case "task_failed":
        this.#tasks.failed(event.payload);
        break;
      default:
        yield* this.#tell(event, atMs, place);
    }
  }

  *#tell(event: TilthEvent, atMs: number, place: OpenSpan): Generator<SpanRecord> {
    const moment = momentOf(event, this.#session.id);
    const occurrence = occurrenceOf(event, atMs);
    if (moment !== null) yield this.#whole(event, moment, place);
    else if (occurrence === null) return;
    else if (failedAttempts.has(event.type)) this.#retries.add(occurrence, place);
    else place.occurrences.add(occurrence);
  }

  #answered(result: Extract<TilthEvent, { type: "tool_result" }>, { atMs, iteration }: Where): SpanRecord {
    this.#retries.leave();
    const { payload } = result;
    const record = this.#calls.answer(iteration, payload, atMs);
    return record ?? this.#whole(result, { ...toolCall(payload, this.#session.id), ms: payload.ms }, iteration);
  }

  #whole(event: TilthEvent, moment: Moment, parent: OpenSpan): SpanRecord {
    const { name, kind = "internal", ms = 0, attributes, problem = null } = moment;
    const { traceId } = parent;
    const atMs = Date.parse(event.ts);
    const span = new OpenSpan({ traceId, spanId: spanIdOf(event, parent), name, kind, atMs, parent, attributes });
    span.cover(atMs - ms);
    span.problem = problem;
    if (event.type === "model_call") this.#retries.joinTo(span, parent);
    return span.record();
  }

  *#settle(own: SessionTrace): Generator<SpanRecord> {
    this.#retries.leave();
    yield* this.#calls.giveUp();
    own.endPhase();
  }
}

function spanIdOf({ seq }: TilthEvent, { traceId }: OpenSpan): string {
  return derivedSpanId(traceId, `event ${seq}`);
}

/**
 * Failed attempts of a model that has not answered yet. They become part of its answer's span, or of the surrounding
 * span if no answer comes.
 */
class WaitingRetries {
  #waiting: { readonly place: OpenSpan; readonly all: Occurrences } | null = null;

  add(occurrence: Occurrence, place: OpenSpan): void {
    if (this.#waiting?.place !== place) this.leave();
    this.#waiting ??= { place, all: new Occurrences() };
    this.#waiting.all.add(occurrence);
  }

  /** Adds the attempts to a model call and makes its span cover them all. */
  joinTo(call: OpenSpan, place: OpenSpan): void {
    if (this.#waiting?.place !== place) return;
    const { all } = this.#waiting;
    for (const { atMs } of all.list.slice(0, 1)) call.cover(atMs);
    call.occurrences.addAll(all);
    this.#waiting = null;
  }

  leave(): void {
    this.#waiting?.place.occurrences.addAll(this.#waiting.all);
    this.#waiting = null;
  }
}
