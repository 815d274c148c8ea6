import { z } from "zod";
import { count, event, inTask, oid } from "./fields.js";
import { taskFailure } from "./outcome.js";

export const rejectionCategory = z.enum([
  "scope_creep",
  "acceptance_gap",
  "weak_test",
  "tests_pass_but_wrong",
  "half_finished",
  "spec_violation",
]);

export const caseSchema = z.strictObject({
  summary: z.string(),
  ac_coverage: z.array(
    z.strictObject({ criterion: z.string(), addressed_by: z.string(), evidence: z.string().optional() }),
  ),
  work_arounds: z.array(z.string()),
  uncertainties: z.array(z.string()),
});
export type Case = z.infer<typeof caseSchema>;

export const verdictSchema = z.strictObject({
  verdict: z.enum(["accept", "reject"]),
  rejection_category: rejectionCategory.nullable(),
  concern: z.string(),
  evidence: z.array(z.string()),
  next_step: z.string().nullable(),
  parse_failed: z.literal(true).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const ledgerEntrySchema = z.strictObject({
  ts: z.iso.datetime(),
  iter: count,
  diff_summary: z.string(),
  case: caseSchema,
  verdict: verdictSchema,
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** Verdicts on cases, and the ends of tasks. */
export const verdictEvents = {
  evaluator_verdict: event("The evaluator gave its verdict on a tree.", {
    ...inTask,
    tree: oid,
    verdict: verdictSchema,
    parse_failed: z.boolean().describe("no answer could be read, and this reject was made in its place"),
  }),
  evaluator_parse_error: event("The evaluator's answer was not a valid verdict.", {
    ...inTask,
    attempt: count,
    error: z.string(),
    raw: z.string(),
  }),
  ledger_appended: event("An entry was added to the task's ledger.", { ...inTask, entry: ledgerEntrySchema }),
  task_done: event("A task is done: accepted and committed.", { ...inTask, sha: oid }),
  task_failed: event("A task ended without being accepted.", { ...inTask, reason: taskFailure, detail: z.string() }),
  proposed_learnings: event("The self-improve question was answered: the proposal, or why there is none.", {
    ...inTask,
    emitted: z.boolean(),
    entry: z.string().optional(),
    reason: z.enum(["no_proposal", "unparseable", "empty_learning", "error"]).optional(),
  }),
  commit_prepared: event("The commit of an accepted tree exists; the branch has not moved yet.", {
    ...inTask,
    sha: oid,
    tree: oid,
  }),
  commit: event("The branch has moved to the commit.", { ...inTask, sha: oid, tree: oid }),
};
