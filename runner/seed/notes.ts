import type { SeedNotes } from "../session/state/seed-meta.js";
import { isRecord, kindOf, SeedProblem } from "./seed-problem.js";

/** Missing notes become empty; unknown keys are dropped. */
export function checkNotes(meta: unknown): SeedNotes {
  const notes = meta ?? {};
  if (!isRecord(notes)) throw new SeedProblem(`seed-meta must be an object, not ${kindOf(notes)}`);
  return {
    tldr: textOf(notes, "tldr"),
    open_questions: listOf(notes, "open_questions"),
    blockers: listOf(notes, "blockers"),
    scope_notes: textOf(notes, "scope_notes"),
  };
}

function textOf(notes: Readonly<Record<string, unknown>>, key: string): string {
  const text = notes[key] ?? "";
  if (typeof text === "string") return text;
  throw new SeedProblem(`seed-meta: ${key} must be text, not ${kindOf(text)}`);
}

function listOf(notes: Readonly<Record<string, unknown>>, key: string): string[] {
  const list = notes[key] ?? [];
  if (!Array.isArray(list)) throw new SeedProblem(`seed-meta: ${key} must be a list of texts, not ${kindOf(list)}`);
  return list.map((one: unknown) => {
    if (typeof one === "string") return one;
    throw new SeedProblem(`seed-meta: ${key} must be a list of texts, not hold ${kindOf(one)}`);
  });
}
