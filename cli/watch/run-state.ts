import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import type { Prd } from "../../runner/session/state/prd.js";
import { goesOnBeside } from "../../runner/session/summary/uncounted-waits.js";
import { addUsage, countedTokens, type Usage } from "../../runner/session/summary/usage.js";
import { toolLooks } from "../../runner/tools/roles.js";
import { lookOf, type ToolLooks } from "../../runner/tools/tool/look.js";
import { aboutCall } from "./about-call.js";
import { aboutLimitWait, againIn } from "./limit-wait.js";

/** The plan and the usage at the start of a run. */
export interface Start {
  readonly prd: Prd;
  readonly used: Usage;
}

export type TaskState = "pending" | "working" | "done" | "failed";

export interface WatchedTask {
  readonly id: string;
  readonly title: string;
  readonly state: TaskState;
}

type EventHandlers = { readonly [T in EventType]?: (payload: Payload<T>, state: RunState, ts: string) => void };

/** The current state of a run, as far as its events tell. */
export class RunState {
  readonly #states = new Map<string, TaskState>();
  readonly #prd: Prd;
  /** the highest so far: events of the red check, with a lower number, come in beside the first replies */
  iteration = 0;
  /** usage of the whole session */
  used: Usage;
  /** the current activity */
  doing = "starting the containers";
  since: number;
  /** since then it waits for what no cap counts */
  #outsideSince: number | null = null;
  #outsideMs = 0;
  /** characters received of a streamed reply; 0 if none is coming in */
  arrived = 0;
  /** the activity before a retry; null if there is no retry */
  #beforeRetry: string | null = null;

  constructor(
    { prd, used }: Start,
    now: number,
    readonly looks: ToolLooks = toolLooks,
  ) {
    this.#prd = prd;
    for (const { id, status } of prd) this.#states.set(id, status === "done" ? "done" : "pending");
    this.used = { ...used };
    this.since = now;
  }

  /** Returns the time of this run that no cap counts. */
  outsideMs(now: number): number {
    return this.#outsideMs + (this.#outsideSince === null ? 0 : now - this.#outsideSince);
  }

  /** counted the way TILTH_MAX_TOKENS counts */
  get tokens(): number {
    return countedTokens(this.used);
  }

  get tasks(): readonly WatchedTask[] {
    return this.#prd.map(({ id, title }) => ({ id, title, state: this.#states.get(id) ?? "pending" }));
  }

  heard({ type, payload, ts }: TilthEvent, now: number): void {
    const before = this.doing;
    if (!goesOnBeside(type)) this.#leaveOutside(now);
    const beginsOutside = type === "limit_wait" && payload.uncounted === true;
    if (beginsOutside) this.#outsideSince = now;
    if (typeof payload === "object" && "iter" in payload && typeof payload.iter === "number")
      this.iteration = Math.max(this.iteration, payload.iter);
    (told[type] as ((payload: unknown, state: RunState, ts: string) => void) | undefined)?.(payload, this, ts);
    if (this.doing === before && !beginsOutside) return;
    this.since = now;
    if (type !== "model_retry" && type !== "limit_wait") this.#beforeRetry = null;
  }

  arriving(chars: number, now: number): void {
    this.arrived = chars;
    this.#leaveOutside(now);
    if (this.#beforeRetry === null) return;
    this.doing = this.#beforeRetry;
    this.since = now;
    this.#beforeRetry = null;
  }

  #leaveOutside(now: number): void {
    this.#outsideMs = this.outsideMs(now);
    this.#outsideSince = null;
  }

  retry(why: string): void {
    this.#beforeRetry ??= this.doing;
    this.doing = why;
    this.arrived = 0;
  }

  /** On the first run of a session no task is done, whatever prd.json says. */
  beginAnew(): void {
    for (const { id } of this.#prd) this.set(id, "pending");
  }

  set(task: string, state: TaskState): void {
    this.#states.set(task, state);
  }
}

const thinking = "the model is thinking";

const told: EventHandlers = {
  session_start: (_, state) => state.beginAnew(),
  session_resume: ({ retried, pending }, state) => {
    for (const id of [...retried, ...pending]) state.set(id, "pending");
  },
  context_reset: ({ task_id }, state) => {
    state.set(task_id, "working");
    state.iteration = 0;
    state.doing = "preparing the task";
  },
  prompt_assembled: ({ role }, state) => {
    if (role === "worker") state.doing = thinking;
    if (role === "evaluator") state.doing = "the evaluator is reading the change";
    if (role === "self_improve") state.doing = "asking what was learned";
  },
  model_call: (call, state) => {
    addUsage(state.used, call);
    state.arrived = 0;
  },
  model_retry: ({ wait_ms, reason }, state, ts) =>
    state.retry(`asking the model ${againIn(String(Math.ceil(wait_ms / 1000)), { ts, wait_ms })}: ${reason}`),
  limit_wait: (payload, state) => state.retry(aboutLimitWait(payload)),
  tool_call: (call, state) => {
    const { looks } = state;
    state.doing = lookOf(looks, call.tool)?.underWay ?? `${call.tool} ${aboutCall(call, looks)}`;
  },
  tool_result: (_, state) => {
    state.doing = thinking;
  },
  evaluator_verdict: ({ verdict }, state) => {
    if (verdict.verdict === "accept") state.doing = "running the last checks";
  },
  counter_check: ({ passed }, state) => {
    if (passed) state.doing = "committing";
  },
  hands_lost: ({ role }, state) => {
    state.doing = `starting a new ${role} container`;
  },
  task_done: ({ task_id }, state) => state.set(task_id, "done"),
  task_failed: ({ task_id }, state) => state.set(task_id, "failed"),
  stop: (_, state) => {
    state.doing = "ending";
    state.arrived = 0;
  },
};
