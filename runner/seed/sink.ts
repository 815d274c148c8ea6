import { checkTests } from "./acceptance-tests.js";
import { checkEntries } from "./entries.js";
import { checkNotes } from "./notes.js";
import { checkNumbering } from "./numbering.js";
import type { Seed } from "./seed.js";
import { SeedProblem } from "./seed-problem.js";

export interface SeedDraft {
  /** what is to become prd.json */
  readonly prd: unknown;
  /** by bare file name */
  readonly testFiles: ReadonlyMap<string, string>;
  /** tldr and the like; null when there are none */
  readonly meta: unknown;
  /** of `highestTestNumber` over the base */
  readonly highestInBase: number;
  /** a seed written by hand may leave numbers out */
  readonly allowGaps: boolean;
}

export type SinkAnswer = { readonly ok: true; readonly seed: Seed } | { readonly ok: false; readonly problem: string };

/** Takes a seed, or says the first thing that is wrong with it; nothing is half taken. */
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
