import type { EventType, ModelPhase, Payload, TilthEvent } from "./events.js";
import type { Summary } from "./summary-schema.js";
import { noUsage, type Usage } from "./usage.js";

export type TaskTally = Summary["tasks"][number] & {
  readonly roles: Map<ModelPhase, Usage>;
  workerModel: string | null;
  span: string | null;
  /** the iterations that presented a case, whether or not it came as far as a check */
  readonly submits: Set<string>;
};

/** Before them nobody ran the session. */
const beginsRun: ReadonlySet<EventType> = new Set(["session_start", "session_resume", "torn_tail", "lock_taken_over"]);

/** What a summary counts while events go by. */
export class Tallies {
  start: Payload<"session_start"> | null = null;
  stop: Summary["stop"] = null;
  /** of the last run, as its cap counts; null before there was one */
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
  /** of the one attempt at a task that is under way, and of whichever took most */
  readonly attempt = { iterations: 0, evaluations: 0 };
  readonly most = { iterations: 0, evaluations: 0 };
  readonly counts = { learnings_proposed: 0, model_retries: 0, hands_lost: 0 };
  #working: TaskTally | null = null;
  /** of what comes next, so much is counted by nothing */
  #outsideMs = 0;

  task(taskId: string): TaskTally {
    return getOrMake(this.tasks, taskId, () => newTask(taskId));
  }

  /** The time since the event before: none where a run begins, and nothing of a wait that no cap counts. */
  tick({ type, payload, ts }: TilthEvent): void {
    const passed = this.lastAt === null || beginsRun.has(type) ? 0 : msBetween(this.lastAt, ts);
    const ms = Math.max(0, passed - this.#outsideMs);
    if (this.runMs !== null) this.runMs += ms;
    if (this.#working !== null) this.#working.ms += ms;
    this.#outsideMs = type === "limit_wait" && payload.uncounted === true ? payload.wait_ms : 0;
    this.lastAt = ts;
  }

  beginRun(): void {
    this.endWork();
    this.runMs = 0;
    this.stop = null;
  }

  beginWork(taskId: string): void {
    Object.assign(this.attempt, { iterations: 0, evaluations: 0 });
    this.#working = this.task(taskId);
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

  /** Beyond `most` different keys, new ones are not counted. */
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

/** A copy: calls that come later do not change it. */
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
