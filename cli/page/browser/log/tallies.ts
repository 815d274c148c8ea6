import { UncountedWaits } from "../../../../runner/session/summary/uncounted-waits.js";
import { addUsage, type CallUse, noUsage, type Usage } from "../../../../runner/session/summary/usage.js";
import type { Item, LoggedEvent } from "./item.js";
import { fieldsOf, numberOf, numberOrNull, textOf, textOrNull } from "./read.js";

export type Mark = "bad_case" | "check_failed" | "counter_failed" | "rejected" | "accepted";

export interface TaskTally {
  readonly id: string;
  readonly first: Item;
  outcome: string | null;
  readonly usage: Usage;
  readonly roles: Map<string, Usage>;
  iterations: number;
  /** on the session's own clock, which stands still between runs */
  from: number;
  to: number;
  workedMs: number;
  readonly marks: { readonly mark: Mark; readonly item: Item }[];
  /** iterations that presented a case, even if it never reached a check */
  readonly submits: Set<string>;
}

const beginsRun = new Set(["session_start", "session_resume", "torn_tail", "lock_taken_over"]);

/** An accepted task's usage up to its commit. */
export interface Receipt {
  readonly usage: Usage;
  readonly byRole: ReadonlyMap<string, Usage>;
  readonly ms: number;
  readonly iterations: number;
  /** submits before the accepted one */
  readonly wasted: number;
}

/** The numbers in header and timeline, counted as events come in. */
export class Tallies {
  readonly tasks = new Map<string, TaskTally>();
  /** by the commit's block */
  readonly receipts = new Map<Item, Receipt>();
  source: string | null = null;
  stop: { readonly reason: string; readonly detail: string; readonly hint: string } | null = null;
  readonly usage = noUsage();
  iterations = 0;
  firstAt = Number.NaN;
  lastAt = Number.NaN;
  /** leaves out time in which nobody ran it, and waits that no cap counts */
  activeMs = 0;
  #span = "";
  #working: TaskTally | null = null;
  #stopped = false;
  readonly #waits = new UncountedWaits();

  /** The task being worked on at the log's end. */
  get working(): string | null {
    return this.#working?.id ?? null;
  }

  add(event: LoggedEvent, item: Item): void {
    this.#tick(event);
    const id = textOrNull(event.payload.task_id);
    const task = id === null ? null : this.#task(id, item);
    if (task) task.to = this.activeMs;
    this.#fold(event, item, task);
  }

  #tick({ at, type, payload }: LoggedEvent): void {
    if (Number.isNaN(at)) return;
    if (Number.isNaN(this.firstAt)) this.firstAt = at;
    const passed = Number.isNaN(this.lastAt) ? 0 : Math.max(0, at - this.lastAt);
    if (!beginsRun.has(type) && !this.#stopped) this.#pass(this.#waits.counted(passed));
    this.#stopped = type === "stop";
    this.#waits.heard(type, type === "limit_wait" && payload.uncounted === true ? numberOf(payload.wait_ms) : 0);
    this.lastAt = at;
  }

  #pass(ms: number): void {
    this.activeMs += ms;
    if (this.#working) this.#working.workedMs += ms;
  }

  #task(id: string, first: Item): TaskTally {
    const found = this.tasks.get(id);
    if (found) return found;
    const now = this.activeMs;
    const none = { outcome: null, usage: noUsage(), roles: new Map(), iterations: 0, workedMs: 0 };
    const made: TaskTally = { id, first, ...none, from: now, to: now, marks: [], submits: new Set() };
    this.tasks.set(id, made);
    return made;
  }

  #fold({ type, payload }: LoggedEvent, item: Item, task: TaskTally | null): void {
    const mark = markOf(type, payload);
    if (task && mark) task.marks.push({ mark, item });
    if (task && presentsCase(type, item)) task.submits.add(textOf(payload.span_id));
    switch (type) {
      case "session_start":
      case "session_resume":
        this.source ??= textOrNull(payload.source);
        this.#working = null;
        this.stop = null;
        break;
      case "lock_taken_over":
        this.#working = null;
        break;
      case "context_reset":
        this.#working = task;
        if (task) task.outcome = null;
        break;
      case "model_call":
        this.#addCall(payload, task);
        break;
      case "commit":
        if (task) this.receipts.set(item, receiptOf(task));
        break;
      case "task_done":
      case "task_failed":
        this.#working = null;
        if (task) task.outcome = type === "task_done" ? "done" : `failed: ${textOf(payload.reason)}`;
        break;
      case "stop":
        this.#working = null;
        this.stop = { reason: textOf(payload.reason), detail: textOf(payload.detail), hint: textOf(payload.hint) };
        break;
    }
  }

  #addCall(call: LoggedEvent["payload"], task: TaskTally | null): void {
    const use = useOf(call);
    addUsage(this.usage, use);
    if (task) {
      addUsage(task.usage, use);
      const role = textOf(call.phase);
      const own = task.roles.get(role) ?? noUsage();
      addUsage(own, use);
      task.roles.set(role, own);
    }
    const span = textOf(call.span_id);
    if (!task || call.phase !== "worker" || span === this.#span) return;
    this.#span = span;
    task.iterations += 1;
    this.iterations += 1;
  }
}

/** Counts are 0 if a log of an older version lacks them. */
export function useOf(call: LoggedEvent["payload"]): CallUse {
  return {
    prompt_tokens: numberOf(call.prompt_tokens),
    cached_tokens: numberOf(call.cached_tokens),
    cache_write_tokens: numberOf(call.cache_write_tokens),
    eval_tokens: numberOf(call.eval_tokens),
    reasoning_tokens: numberOf(call.reasoning_tokens),
    estimated: call.estimated === true,
    cost: numberOrNull(call.cost),
    ...(call.cost_from === "prices" ? { cost_from: "prices" } : {}),
    ms: numberOf(call.ms),
  };
}

/** Returns a copy, because calls after the commit do not belong to it. */
function receiptOf({ usage, roles, workedMs, iterations, submits }: TaskTally): Receipt {
  const byRole = new Map([...roles].map(([role, own]) => [role, { ...own }]));
  return { usage: { ...usage }, byRole, ms: workedMs, iterations, wasted: Math.max(0, submits.size - 1) };
}

function presentsCase(type: string, { kind }: Item): boolean {
  if (type === "tool_call") return kind === "verdicts";
  return type === "case_parse_error" || type === "check_run" || type === "evaluator_verdict";
}

function markOf(type: string, payload: LoggedEvent["payload"]): Mark | null {
  if (type === "case_parse_error") return "bad_case";
  if (type === "check_run" && payload.passed === false) return "check_failed";
  if (type === "counter_check" && payload.passed === false) return "counter_failed";
  if (type !== "evaluator_verdict") return null;
  return fieldsOf(payload.verdict).verdict === "accept" ? "accepted" : "rejected";
}
