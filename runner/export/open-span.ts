import type { Attributes } from "./values.js";

export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** A moment within a span. */
export interface Occurrence {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Attributes;
}

export interface Problem {
  /** one of a few words, to group by */
  readonly type: string;
  readonly message: string;
}

export function problemOf(type: string, detail: string): Problem {
  return { type, message: detail === "" ? type : `${type}: ${detail}` };
}

export interface Link extends SpanContext {
  readonly to: "phase" | "earlier attempt";
}

/** A finished span; times are milliseconds since 1970. */
export interface SpanRecord extends SpanContext {
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly occurrences: readonly Occurrence[];
  readonly dropped: number;
  readonly links: readonly Link[];
  readonly problem: Problem | null;
}

export interface SpanStart extends SpanContext {
  readonly name: string;
  readonly atMs: number;
  readonly parent: OpenSpan | null;
  readonly kind?: SpanRecord["kind"];
  readonly attributes: Attributes;
  readonly links?: readonly Link[];
}

const leastMs = 0.001;
/** the limit that the SDKs of OpenTelemetry have */
const mostOccurrences = 128;

/** Keeps the first occurrences and counts the rest. */
export class Occurrences {
  readonly list: Occurrence[] = [];
  dropped = 0;

  add(occurrence: Occurrence): void {
    if (this.list.length < mostOccurrences) this.list.push(occurrence);
    else this.dropped += 1;
  }

  addAll(others: Occurrences): void {
    for (const one of others.list) this.add(one);
    this.dropped += others.dropped;
  }
}

/** A span that still grows: it covers everything inside it, and its parent grows along. */
export class OpenSpan implements SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly occurrences = new Occurrences();
  problem: Problem | null = null;
  readonly #start: SpanStart;
  #attributes: Attributes;
  #startMs: number;
  #endMs: number;

  constructor(start: SpanStart) {
    this.traceId = start.traceId;
    this.spanId = start.spanId;
    this.#start = start;
    this.#attributes = start.attributes;
    this.#startMs = start.atMs;
    this.#endMs = start.atMs;
    start.parent?.cover(start.atMs);
  }

  cover(fromMs: number, toMs = fromMs): void {
    this.#startMs = Math.min(this.#startMs, fromMs);
    this.#endMs = Math.max(this.#endMs, toMs);
    this.#start.parent?.cover(fromMs, toMs);
  }

  set(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  record(): SpanRecord {
    // viewers take a span without any length for a mistake
    if (this.#endMs === this.#startMs) this.cover(this.#startMs, this.#startMs + leastMs);
    const { traceId, spanId, name, parent, kind = "internal", links = [] } = this.#start;
    return {
      traceId,
      spanId,
      parentId: parent?.spanId ?? null,
      name,
      kind,
      startMs: this.#startMs,
      endMs: this.#endMs,
      attributes: this.#attributes,
      occurrences: this.occurrences.list,
      dropped: this.occurrences.dropped,
      links,
      problem: this.problem,
    };
  }
}
