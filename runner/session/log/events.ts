import { z } from "zod";
import { environmentFields } from "./environment-event.js";
import { stopReason, taskFailure } from "./outcome.js";
import { baseSuiteFields, suiteRunFields } from "./suite-events.js";

const oid = z.string().regex(/^[0-9a-f]{40}$/);
const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();
const json = z.json();

/** Fields of every payload that belongs to a task. */
const inTask = {
  task_id: z.string().describe("id of the task, such as T-001"),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe("the same for all events of a task"),
  span_id: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe("the same for all events of an iteration"),
  iter: count.describe("number of the worker's reply within the task; in an interview, of the interviewer's reply"),
  agent: z.string().optional().describe("reserved for modes with several agents"),
};
export const taskFieldsSchema = z.strictObject(inTask);

/** The same fields for payloads that may occur inside a task, absent otherwise. */
const maybeInTask = {
  task_id: inTask.task_id.optional(),
  trace_id: inTask.trace_id.optional(),
  span_id: inTask.span_id.optional(),
  iter: inTask.iter.optional(),
  agent: inTask.agent,
};

const endedAsleep = z
  .literal(true)
  .optional()
  .describe("present where it ended by itself because this process was stopped, or its machine slept");

export const modelPhase = z.enum(["worker", "evaluator", "self_improve", "interview"]);
export type ModelPhase = z.infer<typeof modelPhase>;

export const channelUse = z.strictObject({
  present: z.boolean(),
  chars: count,
  truncated: z.boolean(),
  sha256_8: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe("first 8 digits of the SHA-256 of the text"),
});
export type ChannelUse = z.infer<typeof channelUse>;

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

export const leftBehindSchema = z.strictObject({
  executes: z.array(z.string()).describe("paths of files"),
  renamed: z.array(z.string()).describe("paths of git configs and hooks, and of `.git` files"),
  problem: z
    .string()
    .nullable()
    .default(null)
    .describe("why the worktree may not be harmless, or the lists not complete; null if neither"),
});

export const checkResultSchema = z.strictObject({
  name: z.string(),
  passed: z.boolean(),
  reason: z.string().nullable().describe("why it did not pass, one word such as test_failed, timeout or check_died"),
  output: z.string(),
  ms,
});
export type CheckResult = z.infer<typeof checkResultSchema>;

const payloads = {
  session_start: z.strictObject({
    phase: z.enum(["prep-feature", "seed", "run"]),
    session: z.string(),
    source: z.string(),
    base_commit: oid,
    version: z.string(),
    image: z.string().nullable(),
    author: z.string().nullable(),
    reconciled: z.array(z.string()).optional().describe("what was repaired before the run began, one entry each"),
  }),
  isolation_receipt: z.strictObject({
    role: z.string(),
    image: z.string(),
    runtime: z.string(),
    passed: z.boolean(),
    items: z.array(z.strictObject({ name: z.string(), passed: z.boolean(), seen: z.string() })),
    left_out: z.array(z.string()).describe("limits that the engine discards and that were not compared"),
    open_to: z.array(z.string()).default([]).describe("hosts that a person has allowed it to reach"),
  }),
  environment: z.strictObject({ ...maybeInTask, ...environmentFields }),
  seed_committed: z.strictObject({ sha: oid, tree: oid }),
  session_prepared: z.strictObject({
    prd_entries: count,
    test_files: count,
    interviewer_model: z.string().nullable(),
    tokens_used: count,
    record: z.string().optional().describe("SHA-256 of its record in seed-meta.json"),
  }),
  session_resume: z.strictObject({
    last_stop: z.string().nullable().describe("reason of the last stop; null if the last run was cut short"),
    retried: z.array(z.string()).describe("ids of failed tasks that are tried again"),
    pending: z.array(z.string()).describe("ids of tasks that were pending already"),
    reconciled: z.array(z.string()).describe("what was repaired after a crash, one entry each"),
    plan: z.array(z.string()).describe("one line per task, for people"),
    image: z.string().describe("id of the hands image from now on"),
    image_before: z.string().nullable().describe("id of the hands image of the last run"),
  }),
  lock_taken_over: z.strictObject({ holder: z.record(z.string(), json), reason: z.string() }),
  context_reset: z.strictObject({ ...inTask }),
  context_folded: z.strictObject({
    ...maybeInTask,
    why: z
      .enum(["full", "near_limit"])
      .describe("the provider reported a full context, or the prompt came near TILTH_CONTEXT_TOKENS"),
    folded: z.array(z.string()).describe("ids of the calls whose results were shortened"),
    lines: z.array(z.string()).describe("the lines in their places, as the model gets them"),
  }),
  memory_load: z.strictObject({ ...inTask, role: modelPhase, channels: z.record(z.string(), channelUse) }),
  prompt_assembled: z.strictObject({ ...maybeInTask, role: modelPhase, content: z.string(), chars: count }),
  model_call: z.strictObject({
    ...maybeInTask,
    phase: modelPhase,
    attempt: count,
    model: z.string(),
    model_asked: z.string().optional().describe("the model that was asked for, if another one answered"),
    prompt_tokens: count.describe("the whole prompt, cached tokens included"),
    cached_tokens: count.default(0).describe("tokens of the prompt that came from the provider's cache"),
    cache_write_tokens: count.default(0).describe("tokens of the prompt that were written to the provider's cache"),
    eval_tokens: count.describe("tokens of the reply, reasoning included"),
    reasoning_tokens: count.default(0).describe("tokens of the reply that were spent on reasoning"),
    estimated: z
      .boolean()
      .describe("the provider gave no usable token counts, and tilth estimated them from characters"),
    cost: z.number().nonnegative().nullable().describe("US dollars, or null where nobody tells them"),
    cost_from: z
      .enum(["provider", "prices"])
      .optional()
      .describe("who told the cost: the provider, or the person's prices.json; absent without a cost, and in old logs"),
    tokens_used_total: count.describe(
      "of the whole session so far, as TILTH_MAX_TOKENS counts: cached tokens at a tenth",
    ),
    finish_reason: z.string(),
    reasoning: z.string().nullable(),
    content: z.string().nullable(),
    calls: z
      .array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() }))
      .describe("the calls as they came; `arguments` is raw text"),
    calls_dropped: count.optional().describe("further calls, too many to be kept or answered"),
    own_fields: json
      .optional()
      .describe("what else the provider sent, and gets back; what is signed, sealed or long stands as its hash"),
    own_fields_dropped: z.array(z.string()).optional().describe("names of such fields that were too large to be kept"),
    ms,
  }),
  empty_model_response: z.strictObject({
    ...maybeInTask,
    phase: modelPhase,
    in_a_row: count.describe("how many empty replies in a row, this one included"),
  }),
  model_retry: z.strictObject({ ...maybeInTask, phase: modelPhase, attempt: count, reason: z.string(), wait_ms: ms }),
  limit_wait: z.strictObject({
    ...maybeInTask,
    phase: modelPhase,
    reason: z.string().describe("what is used up, or what the endpoint said"),
    wait_ms: ms,
    until: z.iso.datetime().describe("when it ends"),
    uncounted: z.literal(true).optional().describe("`--wait-for-limit` waits, which no cap counts"),
  }),
  parameter_left_out: z.strictObject({
    ...maybeInTask,
    phase: modelPhase,
    parameter: z.string().describe("name of the parameter, or of the field of earlier messages"),
    sent_instead: z.string().nullable().describe("what goes in its place, such as `max_tokens`; null: nothing"),
    reason: z.string().describe("what the endpoint said"),
  }),
  tool_call: z.strictObject({ ...maybeInTask, tool: z.string(), call_id: z.string(), args: json }),
  tool_result: z.strictObject({ ...maybeInTask, tool: z.string(), call_id: z.string(), content: z.string(), ms }),
  calls_not_run: z.strictObject({
    ...maybeInTask,
    count,
    why: z.enum(["too_many", "cut_off", "wall_clock", "token_cap", "cost_cap"]),
    content: z.string().describe("the answer to each of them"),
  }),
  pre_tool_block: z.strictObject({ ...inTask, tool: z.string(), command: z.string(), reason: z.string() }),
  hook_run: z.strictObject({
    ...inTask,
    hook: z.enum(["pre_tool", "post_edit"]),
    tool: z.string(),
    outcome: z.enum(["allow", "block", "silent", "warned"]),
    output: z.string(),
  }),
  case_parse_error: z.strictObject({ ...inTask, error: z.string(), raw: z.string() }),
  seed_test_not_red: z.strictObject({ ...maybeInTask, tests: z.array(z.string()) }),
  red_check: z.strictObject({
    ...maybeInTask,
    tree: oid,
    at: z.enum(["staging", "task"]),
    tests: z.record(z.string(), z.string()).describe("test id to the reason why it failed"),
    opened: z.array(z.string()).describe("files below `tests/` that the run read; they count as judge files"),
  }),
  counter_check: z.strictObject({
    ...inTask,
    tree: oid,
    passed: z.boolean(),
    reached: count.describe("how many assertions were made false and reached"),
    caught: z
      .array(z.string())
      .describe(
        "assertions that prove nothing, with their tests; in brackets how a value gave itself away, else the tests passed although the assertion was false",
      ),
    failed_again: z
      .string()
      .optional()
      .describe("how the tests ended where they passed once and then, with nothing made false, did not"),
    left_out: z.array(z.string()).describe("assertions that were not tried, each with the reason"),
  }),
  base_suite: z.strictObject({ ...maybeInTask, ...baseSuiteFields }),
  suite_run: z.strictObject({ ...inTask, ...suiteRunFields }),
  check_run: z.strictObject({
    ...inTask,
    tree: oid,
    image: z.string(),
    passed: z.boolean(),
    checks: z.array(checkResultSchema),
    expected: z.array(z.string()).describe("ids of the tests that had to pass"),
    seen: z.array(z.strictObject({ id: z.string(), outcome: z.string() })),
    integrity_notes: z.array(z.string()).describe("what was noticed about files that judge; shown to the evaluator"),
    ms,
  }),
  evaluator_verdict: z.strictObject({
    ...inTask,
    tree: oid,
    verdict: verdictSchema,
    parse_failed: z.boolean().describe("no answer could be read, and this reject was made in its place"),
  }),
  evaluator_parse_error: z.strictObject({ ...inTask, attempt: count, error: z.string(), raw: z.string() }),
  ledger_appended: z.strictObject({ ...inTask, entry: ledgerEntrySchema }),
  task_done: z.strictObject({ ...inTask, sha: oid }),
  task_failed: z.strictObject({ ...inTask, reason: taskFailure, detail: z.string() }),
  proposed_learnings: z.strictObject({
    ...inTask,
    emitted: z.boolean(),
    entry: z.string().optional(),
    reason: z.enum(["no_proposal", "unparseable", "empty_learning", "error"]).optional(),
  }),
  commit_prepared: z.strictObject({ ...inTask, sha: oid, tree: oid }),
  commit: z.strictObject({ ...inTask, sha: oid, tree: oid }),
  hands_lost: z.strictObject({
    ...maybeInTask,
    role: z.string(),
    during: z.string().nullable(),
    detail: z.string(),
    asleep: endedAsleep,
  }),
  hands_restarted: z.strictObject({ ...maybeInTask, role: z.string(), asleep: endedAsleep }),
  egress: z.strictObject({
    ...maybeInTask,
    host: z.string(),
    port: count,
    allowed: z.boolean(),
    refusal: z
      .enum(["not_allowed", "private_address", "not_found", "not_reached", "too_many"])
      .nullable()
      .describe("why there was no connection"),
    bytes_out: count,
    bytes_in: count,
    ms,
  }),
  left_behind: leftBehindSchema,
  torn_tail: z.strictObject({ bytes: count }),
  stop: z.strictObject({
    reason: stopReason,
    detail: z.string(),
    hint: z.string().describe("what a person can do now; may be empty"),
  }),
} as const;

export const eventPayloads = payloads;
export type EventType = keyof typeof payloads;
export type Payload<T extends EventType> = z.infer<(typeof payloads)[T]>;

type EnvelopeOf<T extends EventType> = {
  readonly v: 1;
  readonly seq: number;
  readonly ts: string;
  readonly type: T;
  readonly payload: Payload<T>;
};
export type TilthEvent = { [T in EventType]: EnvelopeOf<T> }[EventType];

const envelope = { v: z.literal(1), seq: count, ts: z.iso.datetime() };
const members = (Object.keys(payloads) as EventType[]).map((type) =>
  z.strictObject({ ...envelope, type: z.literal(type), payload: payloads[type] }),
);
const [first, ...rest] = members;
if (!first) throw new Error("the event union is empty");

/** The source of truth for a line of events.jsonl. */
export const eventSchema = z.discriminatedUnion("type", [first, ...rest]) as unknown as z.ZodType<TilthEvent>;

/** The ids that connect a payload to its task, as in `inTask`. */
export interface TaskSpan {
  readonly task_id: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly iter: number;
}

/** A place in a dialogue: in a task, or at a reply of an interview. */
export type Span = TaskSpan | Pick<TaskSpan, "iter">;

/** Takes facts to be logged. When `append` returns, the line has been written (not necessarily synced). */
export interface EventSink {
  append<T extends EventType>(type: T, payload: Payload<T>): void;
}
