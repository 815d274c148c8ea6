import { argumentsOf } from "../model/port/call-arguments.js";
import type { ToolCall } from "../model/port/model-client.js";
import type { InterviewSummary } from "../tools/interviewer/frontend.js";
import { writeSeed } from "../tools/interviewer/write-seed.js";
import type { Parsed } from "../tools/tool/arguments.js";
import { withoutBlanks } from "../tools/tool/fields.js";
import type { SeedBundle } from "./seed-sink.js";

export interface SeedCall {
  readonly bundle: SeedBundle;
  readonly summary: InterviewSummary;
}

/** Reads the seed in a call. The problem is the first one found and begins with the name of its field. */
export function parseSeedCall(call: Pick<ToolCall, "arguments">): Parsed<SeedCall> {
  const given = writeSeed.read(call);
  if (!given.ok) return { ok: false, problem: given.problem.replace(/\n.*/s, "") };
  const { prd_entries, test_files, tldr, scope_notes } = given.value;
  // zod silently drops a key named __proto__, and nothing may go unchecked
  const dropped = namesOfTests(call).find((name) => !Object.hasOwn(test_files, name));
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

function namesOfTests(call: Pick<ToolCall, "arguments">): readonly string[] {
  const args = argumentsOf(call);
  return args.kind === "object" ? Object.keys(args.value.test_files ?? {}) : [];
}
