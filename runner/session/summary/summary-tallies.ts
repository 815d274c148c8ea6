import type { ModelPhase } from "../log/events/fields.js";
import type { EventType, Payload, TilthEvent } from "../log/events.js";
import type { Summary } from "./summary-schema.js";
import { UncountedWaits } from "./uncounted-waits.js";
import { noUsage, type Usage } from "./usage.js";

export type TaskTally = Summary["tasks"][number] & {
  readonly roles: Map<ModelPhase, Usage>;
  workerModel: string | null;
  span: string | null;
  /** iterations that presented a case, even if it never reached a check */
  readonly submits: Set<string>;
};

/** Events that begin a process; the time before them counts for no run. */
const beginsRun: ReadonlySet<EventType> = new Set(["session_start", "session_resume", "torn_tail", "lock_taken_over"]);

/** The counts of a summary while events come in. */
export class Tallies {
  start: Payload<"session_start"> | null = null;
  stop: Summary["stop"] = null;
  /** duration of the last run, as its cap counts; null before the first run */
  runMs: number | null = null;
  lastAt: string | null = null;
  readonly usage = noUsage();
  readonly roles = new Map<ModelPhase, Usage>();
  readonly tools = new Tally();
  readonly hooks = new Map<string, Tally>();
  readonly checks = { passed: 0, failed: 0 };
  readonly failedChecks = new Tally();
  readonly verdicts = { accepted: 0, rejected: 0, parse_failed: 0 };
  readonly categories = new Tally();
  readonly notes = new Map<string, Summary["integrity_notes"][number]>();
  readonly tasks = new Map<string, TaskTally>();
  readonly receipts = new Map<string, Summary["receipts"][number]>();
  leftBehind: Summary["left_behind"] = { executes: [], renamed: [], problem: null };
  readonly egress = { connections: 0, refused: 0, bytes_out: 0, bytes_in: 0 };
  readonly hosts = new Tally();
  /** counts of the current attempt at a task, and below it the highest of any attempt */
  readonly attempt = { iterations: 0, evaluations: 0 };
  readonly most = { iterations: 0, evaluations: 0 };
  readonly counts = { learnings_proposed: 0, model_retries: 0, hands_lost: 0 };
  #working: TaskTally | null = null;
  readonly #waits = new UncountedWaits();

  task(taskId: string): TaskTally {
    return getOrMake(this.tasks, taskId, () => newTask(taskId));
  }

  /** Adds the time since the last event; none where a run begins, and none for waits that no cap counts. */
  tick({ type, payload, ts }: TilthEvent): void {
    const passed = this.lastAt === null || beginsRun.has(type) ? 0 : msBetween(this.lastAt, ts);
    const ms = this.#waits.counted(passed);
    if (this.runMs !== null) this.runMs += ms;
    if (this.#working !== null) this.#working.ms += ms;
    this.#waits.heard(type, type === "limit_wait" && payload.uncounted === true ? payload.wait_ms : 0);
    this.lastAt = ts;
  }

  /** A case that is judged again after a crash belongs to no attempt of the run before. */
  beginRun(): void {
    this.endWork();
    this.#beginAttempt();
    this.runMs = 0;
    this.stop = null;
  }

  beginWork(taskId: string): void {
    this.#beginAttempt();
    this.#working = this.task(taskId);
  }

  #beginAttempt(): void {
    Object.assign(this.attempt, { iterations: 0, evaluations: 0 });
  }

  addToAttempt(what: keyof Tallies["attempt"]): void {
    this.attempt[what] += 1;
    this.most[what] = Math.max(this.most[what], this.attempt[what]);
  }

  endWork(): void {
    this.#working = null;
  }
}

export class Tally {
  readonly #counts = new Map<string, number>();

  /** Once there are `most` different keys, new keys are ignored. */
  add(key: string, most = Number.POSITIVE_INFINITY): void {
    if (this.#counts.size >= most && !this.#counts.has(key)) return;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  toObject(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}

export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** Returns a copy that later calls do not change. */
export function usageByRole(roles: ReadonlyMap<ModelPhase, Usage>): Summary["usage_by_role"] {
  return Object.fromEntries([...roles].map(([role, usage]) => [role, { ...usage }]));
}

function msBetween(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

function newTask(taskId: string): TaskTally {
  const none = { iterations: 0, checks_failed: 0, counter_checks_failed: 0, rejections: 0, malformed_cases: 0, ms: 0 };
  const kept = { roles: new Map(), workerModel: null, span: null, submits: new Set<string>() };
  return { task_id: taskId, outcome: null, usage: noUsage(), ...none, ...kept };
}
