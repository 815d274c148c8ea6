import { z } from "zod";
import { repeatedKey } from "../../text/repeated-key.js";

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export type JsonObject = { [key: string]: z.core.util.JSONType };

export type Arguments =
  | { readonly kind: "object"; readonly value: JsonObject }
  | { readonly kind: "not_object"; readonly problem: string }
  /** not JSON at all: the reply was cut or garbled, and nothing of it may run */
  | { readonly kind: "torn"; readonly problem: string };

/** Deeper than any tool's input; without it a recursive reader of the value could run out of stack. */
const maxDepth = 32;

/** Parses the arguments that a model gave, and repairs nothing. */
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
    return { kind: "not_object", problem: "the arguments must be one plain JSON object; these are nested too deep" };
  if (holdsInfinity(value))
    return { kind: "not_object", problem: "the arguments hold a number that is too large for any tool" };
  const repeated = repeatedKey(text);
  if (repeated !== null)
    return { kind: "not_object", problem: `the arguments name ${JSON.stringify(repeated.slice(0, 100))} twice` };
  return { kind: "object", value: value as JsonObject };
}

/** Checks arguments against a tool's schema; every problem is one line that begins with the field's name. */
export function checkArguments<T>(value: unknown, schema: z.ZodType<T>): Parsed<T> {
  const checked = schema.safeParse(value, { error: (issue) => (issue.input === undefined ? "is missing" : undefined) });
  if (checked.success) return { ok: true, value: checked.data };
  const lines = new Set(checked.error.issues.map(lineOf));
  return { ok: false, problem: [...lines].slice(0, 20).join("\n") };
}

/** Converts a schema into the form that providers take. */
export function asJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return withSingleTypes(rest);
}

/** Google, older Ollama and Gemma's template in llama.cpp refuse a list of types; `anyOf` says the same. */
function withSingleTypes(schema: object): Readonly<Record<string, unknown>> {
  const fields = Object.entries(schema).map(([name, value]: [string, unknown]) =>
    name === "type" && Array.isArray(value)
      ? ["anyOf", value.map((type: unknown) => ({ type }))]
      : [name, isHolder(value) ? withSingleTypes(value) : listed(value)],
  );
  return Object.fromEntries(fields);
}

function listed(value: unknown): unknown {
  return Array.isArray(value) ? value.map((one) => (isHolder(one) ? withSingleTypes(one) : one)) : value;
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lineOf(issue: z.core.$ZodIssue): string {
  const field = issue.path.map((part, index) => step(part, index)).join("");
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => JSON.stringify(key.slice(0, 100))).join(", ");
    return `${field === "" ? "" : `${field}: `}unknown key ${keys}`;
  }
  return `${field}: ${issue.message}`;
}

function step(part: PropertyKey, index: number): string {
  if (typeof part === "number") return `[${part}]`;
  return index === 0 ? String(part) : `.${String(part)}`;
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
