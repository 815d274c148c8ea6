import type { StopReason } from "../session/log/events/outcome.js";
import type { Payload, TilthEvent } from "../session/log/events.js";
import { OpenSpan, problemOf, type SpanRecord } from "./open-span.js";
import { derivedSpanId, sessionTraceId } from "./span-ids.js";
import { type Attributes, int, text } from "./values.js";

/** a person or a limit ended the run, and nothing was wrong */
const plannedStops: ReadonlySet<StopReason> = new Set([
  "all_done",
  "wall_clock",
  "token_cap",
  "cost_cap",
  "interrupted",
]);

export type PhaseStart = Extract<TilthEvent, { type: "session_start" | "session_resume" }>;

/** Spans that belong to no task: the session, its phases (staging, runs, resumes), and the iterations of interviews. */
export class SessionTrace {
  readonly #root: OpenSpan;
  readonly #phases: OpenSpan[] = [];
  readonly #iterations = new Map<string, OpenSpan>();
  #phase: OpenSpan | null = null;

  constructor(sessionId: string, atMs: number) {
    const traceId = sessionTraceId(sessionId);
    this.#root = new OpenSpan({
      traceId,
      spanId: derivedSpanId(traceId, "session"),
      name: `session ${sessionId}`,
      atMs,
      parent: null,
      attributes: { "tilth.session": text(sessionId) },
    });
  }

  /** Null between two phases. */
  get phase(): OpenSpan | null {
    return this.#phase;
  }

  /** The span for events that belong to nothing smaller. */
  get place(): OpenSpan {
    return this.#phase ?? this.#root;
  }

  cover(atMs: number): void {
    this.place.cover(atMs);
  }

  begin(event: PhaseStart, atMs: number): void {
    const { traceId } = this.#root;
    const isResume = event.type === "session_resume";
    this.#phase = new OpenSpan({
      traceId,
      spanId: derivedSpanId(traceId, `phase ${event.seq}`),
      name: isResume ? "resume" : event.payload.phase,
      atMs,
      parent: this.#root,
      attributes: isResume ? resumeFacts(event.payload) : startFacts(event.payload),
    });
    this.#phases.push(this.#phase);
    this.#root.problem = null;
  }

  /** Derives the span's id, because the log has no ids for the iterations of an interview. */
  iteration(iter: number, atMs: number): OpenSpan {
    const parent = this.place;
    const { traceId } = parent;
    const spanId = derivedSpanId(traceId, `${parent.spanId} iteration ${iter}`);
    const known = this.#iterations.get(spanId);
    if (known !== undefined) return known;
    const attributes = { "tilth.iteration": int(iter) };
    const iteration = new OpenSpan({ traceId, spanId, name: `iteration ${iter}`, atMs, parent, attributes });
    this.#iterations.set(spanId, iteration);
    return iteration;
  }

  stopped({ reason, detail }: Payload<"stop">): void {
    const problem = plannedStops.has(reason) ? null : problemOf(reason, detail);
    for (const span of [this.#root, this.place]) {
      span.set({ "tilth.stop": text(reason) });
      span.problem = problem;
    }
  }

  endPhase(): void {
    this.#phase = null;
  }

  *records(): Generator<SpanRecord> {
    for (const span of [...this.#iterations.values(), ...this.#phases, this.#root]) yield span.record();
  }
}

function startFacts({ version, base_commit, image }: Payload<"session_start">): Attributes {
  return { "tilth.version": text(version), "tilth.base_commit": text(base_commit), "tilth.image": text(image) };
}

function resumeFacts({ last_stop, retried, pending, reconciled, image }: Payload<"session_resume">): Attributes {
  return {
    "tilth.resume.last_stop": text(last_stop),
    "tilth.resume.retried": int(retried.length),
    "tilth.resume.pending": int(pending.length),
    "tilth.resume.repaired": int(reconciled.length),
    "tilth.image": text(image),
  };
}
