/** A problem of a seed, in one sentence that a person and a model can act on. Never leaves this folder. */
export class SeedProblem extends Error {}

/** Names a JSON value's kind in a sentence. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const mostSpelled = 100;

/** Spells a name in escapes if it has letters that nobody sees or that look like others; otherwise empty. */
export function spelling(name: string): string {
  if (/^[ -~]*$/.test(name)) return "";
  const letters = name.slice(0, mostSpelled).replace(/[^ -~]/g, escaped);
  return ` (spelled "${letters}")`;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
