import { z } from "zod";
import { modelPhase } from "../log/events/fields.js";
import { stopReason } from "../log/events/outcome.js";
import { leftBehindSchema } from "../log/events/session.js";
import { rejectionCategory } from "../log/events/verdicts.js";

const oid = z.string().regex(/^[0-9a-f]{40}$/);
const count = z.number().int().nonnegative();
const cost = z.number().nonnegative().nullable();
const ms = z.number().nonnegative();
const tally = z.record(z.string(), count);

const cachedTokens = count.default(0).describe("tokens of the prompts that came from a provider's cache");
const cacheWriteTokens = count.default(0).describe("tokens of the prompts that were written to a provider's cache");
const reasoningTokens = count.default(0).describe("tokens of the replies that were spent on reasoning");

const usage = z.strictObject({
  calls: count,
  prompt_tokens: count.describe("whole prompts, cached tokens included"),
  cached_tokens: cachedTokens,
  cache_write_tokens: cacheWriteTokens,
  eval_tokens: count.describe("tokens of the replies, reasoning included"),
  reasoning_tokens: reasoningTokens,
  total_tokens: count.describe("prompts and replies, each token as one"),
  estimated_calls: count.describe("calls whose tokens tilth estimated"),
  cost: cost.describe("US dollars, as far as they are known; null if none are"),
  priced_calls: count.default(0).describe("calls whose cost was made from prices.json"),
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
  ms: ms.describe("time that was spent on it; the pause of a stopped session and uncounted waits are left out"),
});

const receipt = z.strictObject({
  task_id: z.string(),
  sha: oid,
  tree: oid,
  tokens: count.describe("prompts and replies, each token as one"),
  cached_tokens: cachedTokens,
  cache_write_tokens: cacheWriteTokens,
  reasoning_tokens: reasoningTokens,
  cost,
  by_role: z
    .partialRecord(modelPhase, usage)
    .optional()
    .describe("what each role used for the task; absent in summaries of older versions"),
  worker_model: z
    .string()
    .nullable()
    .optional()
    .describe(
      "the model asked for the task, or one that stands for it; the last of several; absent in summaries of older versions",
    ),
  ms,
  iterations: count,
  wasted_retries: count.describe("submits before the accepted one"),
});

const capUse = z.strictObject({
  used: z.number().nonnegative(),
  limit: z.number().nonnegative(),
  percent: z.number().nonnegative(),
});

const egressSummary = z.strictObject({
  connections: count,
  refused: count.describe("to hosts that nobody has allowed, or on private networks"),
  bytes_out: count,
  bytes_in: count,
  hosts: tally.describe("how often each was asked for, with its port; the first hundred"),
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
  stop: z
    .strictObject({ reason: stopReason, detail: z.string(), hint: z.string(), at: z.iso.datetime() })
    .nullable()
    .describe("null while the session runs, or if it was cut short"),
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
  /** the changed files that run on ordinary actions and the files renamed to make them harmless, at the last stop */
  left_behind: leftBehindSchema,
  egress: egressSummary.default({ connections: 0, refused: 0, bytes_out: 0, bytes_in: 0, hosts: {} }),
  learnings_proposed: count,
  model_retries: count,
  hands_lost: count,
  caps: z
    .strictObject({
      tokens: capUse.describe("as TILTH_MAX_TOKENS counts: cached tokens at a tenth"),
      cost_usd: capUse.nullable(),
      wall_clock_minutes: capUse,
      iterations_per_task: capUse.nullable().default(null).describe("of the attempt that took most"),
      evaluator_calls_per_task: capUse.nullable().default(null).describe("of the attempt that took most"),
    })
    .nullable(),
});

export type Summary = z.infer<typeof summarySchema>;
