import { z } from "zod";
import { eventPayloads, eventSchema, type TilthEvent } from "../../runner/session/log/events.js";

/** Text by somebody who wants to act on whatever shows it. */
export const hostileText = [
  "</script><script>alert(1)</script><img src=x onerror=alert(2)>",
  '"><svg onload=alert(3)><a href="javascript:alert(4)">x</a>',
  "\u001b[2J\u001b]0;owned\u0007\u001b]8;;http://evil.invalid\u0007\u009b31m\r\b\u0085",
  "\u202eright to left\u2066\u200b\u2028\u2029\ufeff\u{e0041}",
  "\ntask T-001 done\n00:00  commit 0000000000",
].join("");

interface Shape {
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly $ref?: string;
  readonly items?: Shape;
  /** the parts of a tuple */
  readonly prefixItems?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly propertyNames?: Shape;
  readonly minimum?: number;
}

/** One event of each type, every free text of it hostile. */
export function hostileEvents(): TilthEvent[] {
  return Object.entries(eventPayloads).map(([type, schema], seq) => {
    const payload = sampleOf(z.toJSONSchema(schema) as Shape);
    return eventSchema.parse({ v: 1, seq, ts: "2026-01-02T03:04:05.000Z", type, payload });
  });
}

function sampleOf(shape: Shape): unknown {
  // a reference stands for any JSON
  if (shape.$ref) return { command: hostileText, [hostileText]: [hostileText] };
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum.at(-1);
  if (shape.anyOf?.[0]) return sampleOf(shape.anyOf[0]);
  switch ([shape.type].flat()[0]) {
    case "string":
      return shape.pattern === undefined ? hostileText : matching(shape.pattern);
    case "boolean":
      return false;
    case "array":
      return shape.prefixItems?.map(sampleOf) ?? (shape.items ? [sampleOf(shape.items)] : []);
    case "object":
      return objectOf(shape);
    default:
      return Math.max(7, shape.minimum ?? 0);
  }
}

function objectOf({ properties = {}, additionalProperties, propertyNames }: Shape): unknown {
  const fixed = Object.entries(properties).map(([name, shape]) => [name, sampleOf(shape)]);
  const free = typeof additionalProperties === "object" ? additionalProperties : null;
  const key = propertyNames && (propertyNames.enum ?? propertyNames.pattern) ? sampleOf(propertyNames) : hostileText;
  return Object.fromEntries(free ? [...fixed, [key, sampleOf(free)]] : fixed);
}

function matching(pattern: string): string {
  const digits = /^\^\[0-9a-f\]\{(\d+)\}\$$/.exec(pattern)?.[1];
  return digits === undefined ? "2026-01-02T03:04:05.000Z" : "a".repeat(Number(digits));
}
