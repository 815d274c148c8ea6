import { version } from "../base/version.js";
import { oneLine } from "../text/sanitise.js";
import type { Link, Occurrence, SpanRecord } from "./open-span.js";
import { type AnyValue, type Attributes, text } from "./values.js";

const maxName = 120;
const maxMessage = 500;
const kinds = { internal: 1, client: 3 } as const;
const statusError = 2;
/** the latest moment that 64 bits of nanoseconds can hold */
const latestMs = 18_446_744_073_709;

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** The JSON before the first and after the last span of an ExportTraceServiceRequest. */
export function envelopeOf(sessionId: string): { readonly head: string; readonly tail: string } {
  const resource = JSON.stringify({
    attributes: keyValues({ "service.name": text("tilth"), "tilth.session": text(sessionId) }),
  });
  const scope = JSON.stringify({ name: "tilth", version });
  return {
    head: `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[`,
    tail: "]}]}]}",
  };
}

export function spanJson(span: SpanRecord): string {
  const { traceId, spanId, parentId, problem, occurrences, dropped, links } = span;
  return JSON.stringify({
    traceId,
    spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name: oneLine(span.name, maxName),
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: keyValues(
      problem === null ? span.attributes : { ...span.attributes, "error.type": text(problem.type) },
    ),
    ...(occurrences.length === 0 ? {} : { events: occurrences.map(eventOf) }),
    ...(dropped === 0 ? {} : { droppedEventsCount: dropped }),
    ...(links.length === 0 ? {} : { links: links.map(linkOf) }),
    status: problem === null ? {} : { code: statusError, message: oneLine(problem.message, maxMessage) },
  });
}

function eventOf({ name, atMs, attributes }: Occurrence) {
  return { timeUnixNano: nanoseconds(atMs), name, attributes: keyValues(attributes) };
}

function linkOf({ traceId, spanId, to }: Link) {
  return { traceId, spanId, attributes: keyValues({ "tilth.link": text(to) }) };
}

function keyValues(attributes: Attributes): readonly KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [{ key: oneLine(key, maxName), value }],
  );
}

/** Exact to the microsecond, like a number of milliseconds since 1970. */
function nanoseconds(ms: number): string {
  const within = Math.min(Math.max(ms, 0), latestMs);
  return String(BigInt(Math.round(within * 1000)) * 1000n);
}
