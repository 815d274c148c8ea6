import { presentsCase } from "../log/case-tool.js";
import type { EventType, Payload, TaskSpan, TilthEvent } from "../log/events.js";
import { getOrMake, type Tallies, Tally, usageByRole } from "./summary-tallies.js";
import { addUsage, noUsage } from "./usage.js";

type Fold<T extends EventType> = (tallies: Tallies, payload: Payload<T>, ts: string) => void;

const maxNotes = 500;
const mostHosts = 100;

/** The effect of each event on the tallies; an event not listed here has none. */
const folds: { readonly [T in EventType]?: Fold<T> } = {
  session_start: (tallies, payload) => {
    tallies.start ??= payload;
    if (payload.phase === "run") tallies.beginRun();
  },
  session_resume: (tallies) => tallies.beginRun(),
  lock_taken_over: (tallies) => tallies.endWork(),
  context_reset: (tallies, { task_id }) => tallies.beginWork(task_id),
  model_call: addCall,
  model_retry: (tallies) => {
    tallies.counts.model_retries += 1;
  },
  tool_call: (tallies, call) => {
    const { task_id, span_id } = call;
    tallies.tools.add(call.tool);
    if (presentsCase(call) && task_id !== undefined && span_id !== undefined) addSubmit(tallies, { task_id, span_id });
  },
  hook_run: (tallies, { hook, outcome }) => getOrMake(tallies.hooks, hook, () => new Tally()).add(outcome),
  case_parse_error: (tallies, payload) => {
    addSubmit(tallies, payload);
    tallies.task(payload.task_id).malformed_cases += 1;
  },
  check_run: addCheck,
  counter_check: (tallies, { task_id, passed }) => {
    if (!passed) tallies.task(task_id).counter_checks_failed += 1;
  },
  evaluator_verdict: addVerdict,
  proposed_learnings: (tallies, { emitted }) => {
    if (emitted) tallies.counts.learnings_proposed += 1;
  },
  egress: addEgress,
  hands_lost: (tallies, { asleep = false }) => {
    if (!asleep) tallies.counts.hands_lost += 1;
  },
  commit: addReceipt,
  task_done: (tallies, { task_id }) => {
    tallies.endWork();
    tallies.task(task_id).outcome = "done";
  },
  task_failed: (tallies, { task_id, reason }) => {
    tallies.endWork();
    tallies.task(task_id).outcome = `failed:${reason}`;
  },
  left_behind: (tallies, left) => {
    tallies.leftBehind = left;
  },
  stop: (tallies, { reason, detail, hint }, ts) => {
    tallies.endWork();
    tallies.stop = { reason, detail, hint, at: ts };
  },
};

export function foldEvent(tallies: Tallies, event: TilthEvent): void {
  tallies.tick(event);
  const fold = folds[event.type] as Fold<EventType> | undefined;
  fold?.(tallies, event.payload, event.ts);
}

function addCall(tallies: Tallies, call: Payload<"model_call">): void {
  addUsage(tallies.usage, call);
  addUsage(getOrMake(tallies.roles, call.phase, noUsage), call);
  if (call.task_id === undefined) return;
  const task = tallies.task(call.task_id);
  addUsage(task.usage, call);
  addUsage(getOrMake(task.roles, call.phase, noUsage), call);
  if (call.phase === "worker") task.workerModel = call.model_asked ?? call.model;
  // one span is one iteration, however many model calls it took
  if (call.phase !== "worker" || call.span_id === undefined || call.span_id === task.span) return;
  task.span = call.span_id;
  task.iterations += 1;
  tallies.addToAttempt("iterations");
}

function addSubmit(tallies: Tallies, { task_id, span_id }: Pick<TaskSpan, "task_id" | "span_id">): void {
  tallies.task(task_id).submits.add(span_id);
}

function addCheck(tallies: Tallies, check: Payload<"check_run">): void {
  addSubmit(tallies, check);
  for (const note of check.integrity_notes) {
    if (tallies.notes.size < maxNotes) tallies.notes.set(`${check.task_id}\n${note}`, { task_id: check.task_id, note });
  }
  if (check.passed) {
    tallies.checks.passed += 1;
    return;
  }
  tallies.checks.failed += 1;
  tallies.task(check.task_id).checks_failed += 1;
  for (const one of check.checks) if (!one.passed) tallies.failedChecks.add(one.reason ?? one.name);
}

function addVerdict(tallies: Tallies, { task_id, span_id, verdict, parse_failed }: Payload<"evaluator_verdict">): void {
  addSubmit(tallies, { task_id, span_id });
  tallies.addToAttempt("evaluations");
  if (parse_failed) tallies.verdicts.parse_failed += 1;
  if (verdict.verdict === "accept") {
    tallies.verdicts.accepted += 1;
    return;
  }
  tallies.verdicts.rejected += 1;
  tallies.task(task_id).rejections += 1;
  if (verdict.rejection_category !== null) tallies.categories.add(verdict.rejection_category);
}

function addEgress({ egress, hosts }: Tallies, { host, port, allowed, refusal, ...bytes }: Payload<"egress">): void {
  if (refusal === null) egress.connections += 1;
  if (!allowed) egress.refused += 1;
  egress.bytes_out += bytes.bytes_out;
  egress.bytes_in += bytes.bytes_in;
  hosts.add(`${host}:${port}`, mostHosts);
}

function addReceipt(tallies: Tallies, { task_id, sha, tree }: Payload<"commit">): void {
  tallies.endWork();
  const task = tallies.task(task_id);
  const { usage } = task;
  tallies.receipts.set(task_id, {
    task_id,
    sha,
    tree,
    tokens: usage.total_tokens,
    cached_tokens: usage.cached_tokens,
    cache_write_tokens: usage.cache_write_tokens,
    reasoning_tokens: usage.reasoning_tokens,
    cost: usage.cost,
    by_role: usageByRole(task.roles),
    worker_model: task.workerModel,
    ms: task.ms,
    iterations: task.iterations,
    wasted_retries: Math.max(0, task.submits.size - 1),
  });
}
