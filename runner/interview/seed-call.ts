import type { InterviewSummary } from "../tools/interviewer/frontend.js";
import { seedInput } from "../tools/interviewer/write-seed.js";
import { checkArguments, type Parsed, parseArguments } from "../tools/tool/arguments.js";
import { withoutBlanks } from "../tools/tool/fields.js";
import type { SeedBundle } from "./seed-sink.js";

export interface SeedCall {
  readonly bundle: SeedBundle;
  readonly summary: InterviewSummary;
}

/** Reads the arguments of `write_seed`. The problem is the first one found and begins with the name of its field. */
export function parseSeedCall(argumentsText: string): Parsed<SeedCall> {
  const args = parseArguments(argumentsText);
  if (args.kind !== "object") return { ok: false, problem: `${args.problem} (write_seed)` };
  const given = checkArguments(args.value, seedInput);
  if (!given.ok) return { ok: false, problem: given.problem.replace(/\n.*/s, "") };
  const { prd_entries, test_files, tldr, scope_notes } = given.value;
  // zod silently drops a key named __proto__, and nothing may go unchecked
  const dropped = Object.keys(args.value.test_files ?? {}).find((name) => !Object.hasOwn(test_files, name));
  if (dropped !== undefined) return { ok: false, problem: `test_files: ${dropped} is no name for a test file` };
  const openQuestions = withoutBlanks(given.value.open_questions);
  const blockers = withoutBlanks(given.value.blockers);
  return {
    ok: true,
    value: {
      bundle: {
        prdEntries: prd_entries,
        testFiles: new Map(Object.entries(test_files)),
        notes: { tldr, open_questions: openQuestions, blockers, scope_notes: scope_notes ?? "" },
      },
      summary: { tldr, openQuestions, blockers },
    },
  };
}
