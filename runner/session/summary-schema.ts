import { z } from "zod";
import { modelPhase, rejectionCategory } from "./events.js";
import { stopReason } from "./outcome.js";

const oid = z.string().regex(/^[0-9a-f]{40}$/);
const count = z.number().int().nonnegative();
const cost = z.number().nonnegative().nullable();
const ms = z.number().nonnegative();
const tally = z.record(z.string(), count);

const usage = z.strictObject({
  calls: count,
  prompt_tokens: count,
  eval_tokens: count,
  total_tokens: count,
  /** calls whose tokens tilth counted itself */
  estimated_calls: count,
  /** as the provider reports it; null while it never has */
  cost,
  ms,
});

const taskSummary = z.strictObject({
  task_id: z.string(),
  outcome: z.string().nullable(),
  usage,
  iterations: count,
  checks_failed: count,
  counter_checks_failed: count,
  rejections: count,
  malformed_cases: count,
  /** time in which somebody worked on it; a stopped session's pause does not count */
  ms,
});

const receipt = z.strictObject({
  task_id: z.string(),
  sha: oid,
  tree: oid,
  tokens: count,
  cost,
  ms,
  iterations: count,
  /** submits that came to nothing before the accepted one */
  wasted_retries: count,
});

const capUse = z.strictObject({
  used: z.number().nonnegative(),
  limit: z.number().nonnegative(),
  percent: z.number().nonnegative(),
});

/** summary.json: everything in it comes from events.jsonl and the caps in force. */
export const summarySchema = z.strictObject({
  v: z.literal(1),
  session: z.string().nullable(),
  source: z.string().nullable(),
  base_commit: oid.nullable(),
  events: count,
  first_event_at: z.iso.datetime().nullable(),
  last_event_at: z.iso.datetime().nullable(),
  /** null while it runs, or when it died without a word */
  stop: z.strictObject({ reason: stopReason, detail: z.string(), hint: z.string(), at: z.iso.datetime() }).nullable(),
  usage,
  usage_by_role: z.partialRecord(modelPhase, usage),
  iterations: count,
  tools: tally,
  hooks: z.record(z.string(), tally),
  checks: z.strictObject({ passed: count, failed: count, failed_by_reason: tally }),
  verdicts: z.strictObject({
    accepted: count,
    rejected: count,
    parse_failed: count,
    by_category: z.partialRecord(rejectionCategory, count),
  }),
  integrity_notes: z.array(z.strictObject({ task_id: z.string(), note: z.string() })),
  tasks: z.array(taskSummary),
  receipts: z.array(receipt),
  /** files of the change that run on ordinary actions, and what was made harmless by renaming, at the last stop */
  left_behind: z.strictObject({ executes: z.array(z.string()), renamed: z.array(z.string()) }),
  learnings_proposed: count,
  model_retries: count,
  hands_lost: count,
  caps: z.strictObject({ tokens: capUse, cost_usd: capUse.nullable(), wall_clock_minutes: capUse }).nullable(),
});

export type Summary = z.infer<typeof summarySchema>;
export type Usage = z.infer<typeof usage>;
