import { z } from "zod";

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

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
