import { envelopeOf, spanJson } from "../../runner/export/otlp-json.js";
import { SessionSpans } from "../../runner/export/session-spans.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { type OtlpSpan, requestSchema } from "./otlp-schema.js";

export const sessionId = "20250101-000000-abcdef";

export function exported(events: readonly TilthEvent[], titles: ReadonlyMap<string, string> = new Map()): string {
  const spans = new SessionSpans({ id: sessionId, titles });
  const all = [...events.flatMap((event) => [...spans.add(event)]), ...spans.end()];
  const { head, tail } = envelopeOf(sessionId);
  return `${head}${all.map(spanJson).join(",")}${tail}`;
}

export function spansIn(json: string): OtlpSpan[] {
  return requestSchema
    .parse(JSON.parse(json))
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** Violations of a tree: a span that stands twice, without its parent or beyond it, or a second root. */
export function flaws(spans: readonly OtlpSpan[]): string[] {
  const known = new Map(spans.map((span) => [`${span.traceId} ${span.spanId}`, span]));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  const found = known.size === spans.length ? [] : ["a span stands twice"];
  if (roots.length !== new Set(spans.map(({ traceId }) => traceId)).size) found.push("not one root per trace");
  for (const span of spans) {
    const parent = known.get(`${span.traceId} ${span.parentSpanId}`);
    if (span.parentSpanId !== undefined && parent === undefined) found.push(`${span.name} has no parent`);
    if (parent !== undefined && !isWithin(span, parent)) found.push(`${span.name} is not within ${parent.name}`);
    for (const link of span.links ?? [])
      if (!known.has(`${link.traceId} ${link.spanId}`)) found.push(`a link of ${span.name} leads nowhere`);
    for (const { timeUnixNano, name } of span.events ?? [])
      if (!isWithin({ startTimeUnixNano: timeUnixNano, endTimeUnixNano: timeUnixNano }, span))
        found.push(`${name} is not within ${span.name}`);
  }
  return found;
}

type Times = Pick<OtlpSpan, "startTimeUnixNano" | "endTimeUnixNano">;

function isWithin(span: Times, parent: Times): boolean {
  return (
    BigInt(span.startTimeUnixNano) >= BigInt(parent.startTimeUnixNano) &&
    BigInt(span.endTimeUnixNano) <= BigInt(parent.endTimeUnixNano)
  );
}

/** The spans as lines, each below its parent and indented, with its events and errors. */
export function drawn(spans: readonly OtlpSpan[]): string[] {
  const below = (parent: OtlpSpan | null): OtlpSpan[] =>
    spans
      .filter(({ parentSpanId, traceId }) =>
        parent === null ? parentSpanId === undefined : parentSpanId === parent.spanId && traceId === parent.traceId,
      )
      .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  const draw = (span: OtlpSpan, depth: number): string[] => [
    `${"  ".repeat(depth)}${span.name}${happened(span)}${span.status.code === 2 ? ` ! ${span.status.message}` : ""}`,
    ...below(span).flatMap((child) => draw(child, depth + 1)),
  ];
  return below(null).flatMap((root) => draw(root, 0));
}

function happened({ events }: OtlpSpan): string {
  return events === undefined ? "" : ` [${events.map(({ name }) => name).join(" ")}]`;
}

/** The span's attributes as plain values. */
export function factsOf({ attributes }: Pick<OtlpSpan, "attributes">): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, "arrayValue" in value ? value.arrayValue : Object.values(value)[0]]),
  );
}
