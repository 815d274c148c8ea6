import type { z } from "zod";
import { repeatedKey } from "../../text/repeated-key.js";
import type { ToolCall } from "./model-client.js";

export type JsonObject = { [key: string]: z.core.util.JSONType };

/** The arguments of a call as its model wrote them. */
export type Arguments =
  | { readonly kind: "object"; readonly value: JsonObject }
  /** one JSON object, but none that may be run */
  | { readonly kind: "unfit"; readonly problem: string }
  | { readonly kind: "not_object"; readonly problem: string }
  /** not JSON at all: the reply was cut or garbled, and nothing of it may run */
  | { readonly kind: "torn"; readonly problem: string };

/** Deeper than any tool's input; without it a recursive reader of the value could run out of stack. */
const maxDepth = 32;

const parsed = new WeakMap<object, Arguments>();

/** Parses a call's arguments when they are first asked for; a call never changes, so nobody parses them again. */
export function argumentsOf(call: Pick<ToolCall, "arguments">): Arguments {
  const known = parsed.get(call);
  if (known !== undefined) return known;
  const found = parseArguments(call.arguments);
  parsed.set(call, found);
  return found;
}

/** Parses what a model gave as arguments, and repairs nothing. */
export function parseArguments(text: string): Arguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "torn", problem: "the arguments could not be parsed as JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { kind: "not_object", problem: `the arguments must be one JSON object, not ${kindOf(value)}` };
  if (isDeeperThan(value, maxDepth))
    return { kind: "unfit", problem: "the arguments must be one plain JSON object; these are nested too deep" };
  if (holdsInfinity(value))
    return { kind: "unfit", problem: "the arguments hold a number that is too large for any tool" };
  const repeated = repeatedKey(text);
  if (repeated !== null)
    return { kind: "unfit", problem: `the arguments name ${JSON.stringify(repeated.slice(0, 100))} twice` };
  return { kind: "object", value: value as JsonObject };
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((one) => isDeeperThan(one, depth - 1));
}

/** JSON.parse reads 1e999 as Infinity, which no JSON can hold again. */
function holdsInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsInfinity);
}
