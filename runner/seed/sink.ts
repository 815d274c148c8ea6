import type { SeedNotes } from "../session/state/seed-meta.js";
import { checkTests } from "./acceptance-tests.js";
import { checkEntries } from "./entries.js";
import { checkNumbering } from "./numbering.js";
import type { Seed } from "./seed.js";
import { isRecord, kindOf, SeedProblem } from "./seed-problem.js";

export interface SeedDraft {
  /** the content of prd.json */
  readonly prd: unknown;
  /** sources by bare file name */
  readonly testFiles: ReadonlyMap<string, string>;
  /** tldr and the other notes; null if there are none */
  readonly meta: unknown;
  /** result of `highestTestNumber` on the base */
  readonly highestInBase: number;
  /** a seed written by hand may leave numbers out */
  readonly allowGaps: boolean;
}

export type SinkAnswer = { readonly ok: true; readonly seed: Seed } | { readonly ok: false; readonly problem: string };

/** Checks a seed: returns all of it, or the first problem. */
export function checkSeed(draft: SeedDraft): SinkAnswer {
  try {
    const prd = checkEntries(draft.prd);
    checkNumbering(prd, draft.highestInBase, draft.allowGaps);
    const tests = checkTests(prd, draft.testFiles);
    return { ok: true, seed: { prd, tests, notes: checkNotes(draft.meta) } };
  } catch (error) {
    if (error instanceof SeedProblem) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Missing notes become empty; unknown keys are dropped. */
function checkNotes(meta: unknown): SeedNotes {
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
