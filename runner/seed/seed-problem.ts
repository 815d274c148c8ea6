/** What is wrong with a seed, in one sentence that a person and a model can act on. Never leaves this folder. */
export class SeedProblem extends Error {}

/** A JSON value's kind, for sentences. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
