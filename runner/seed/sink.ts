import { checkTests } from "./acceptance-tests.js";
import { checkEntries } from "./entries.js";
import { checkNotes } from "./notes.js";
import { checkNumbering } from "./numbering.js";
import type { Seed } from "./seed.js";
import { SeedProblem } from "./seed-problem.js";

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
