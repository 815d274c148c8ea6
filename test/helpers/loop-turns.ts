import type { Verdict } from "../../runner/session/log/events/verdicts.js";
import type { FakeReply } from "./fake-model-client.js";

export type Call = readonly [tool: string, args: unknown];

export const write = (path: string, content: string): Call => ["write_file", { path, content }];
export const bash = (command: string): Call => ["bash", { command }];

/** A case that covers the one criterion each task of a LoopSession has. */
export const caseOf = (summary = "It is done.") => ({
  summary,
  ac_coverage: [{ criterion: "1", addressed_by: "feature.py:value" }],
});
export const submit = (summary?: string): Call => ["submit_case", caseOf(summary)];

export const calls = (...all: Call[]): FakeReply => ({ calls: all });
export const quiet: FakeReply = { content: "I think that is all." };
export const empty: FakeReply = {};

/** Writes the module that the test of task `n` wants, and submits the case for it. */
export const solve = (n: number): FakeReply => calls(write(`feature_${n}.py`, `value = ${n}\n`), submit());

type Words = Pick<Verdict, "verdict" | "rejection_category" | "concern" | "evidence" | "next_step">;
const verdict = (words: Words): FakeReply => calls(["submit_verdict", words]);

export const accept = verdict({
  verdict: "accept",
  rejection_category: null,
  concern: "It does what the task asks.",
  evidence: [],
  next_step: null,
});

export const reject = (words: Partial<Words> = {}): FakeReply =>
  verdict({
    verdict: "reject",
    rejection_category: "weak_test",
    concern: "THE-CONCERN",
    evidence: ["THE-EVIDENCE"],
    next_step: "THE-NEXT-STEP",
    ...words,
  });

export const learned = (learning: string): FakeReply => ({ content: JSON.stringify({ propose: "yes", learning }) });
export const learnedNothing: FakeReply = { content: '{"propose": "no", "learning": ""}' };
