import { z } from "zod";

/**
 * The rules of OTLP/JSON for an ExportTraceServiceRequest, written down from its specification, with the fields that
 * are used here.
 */
const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`))
    .refine((id) => !/^0+$/.test(id), "an id of zeros is none");
/** fixed64 */
const nanoseconds = z
  .string()
  .regex(/^(0|[1-9]\d*)$/)
  .refine((text) => asNumber(text) < 2n ** 64n, "more than 64 bits");

function asNumber(text: string): bigint {
  return /^\d+$/.test(text) ? BigInt(text) : 0n;
}

const scalar = [
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^(0|-?[1-9]\d*)$/) }),
  z.strictObject({ doubleValue: z.number() }),
] as const;
const anyValue = z.union([
  ...scalar,
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.union(scalar)) }) }),
]);
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: anyValue }))
  .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, "a key stands twice");

const spanSchema = z
  .strictObject({
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: hex(16).optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    events: z.array(z.strictObject({ timeUnixNano: nanoseconds, name: z.string().min(1), attributes })).optional(),
    droppedEventsCount: z.int().positive().optional(),
    links: z.array(z.strictObject({ traceId: hex(32), spanId: hex(16), attributes })).optional(),
    status: z.strictObject({ code: z.int().min(1).max(2).optional(), message: z.string().optional() }),
  })
  .refine((span) => asNumber(span.startTimeUnixNano) <= asNumber(span.endTimeUnixNano), "it ends before it starts");

export const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(spanSchema).min(1),
        }),
      ),
    }),
  ),
});

export type OtlpSpan = z.infer<typeof spanSchema>;
