import type { EventType, Payload, TilthEvent } from "../../runner/session/events.js";
import type { Prd } from "../../runner/session/prd.js";
import { addUsage, countedTokens, type Usage } from "../../runner/session/usage.js";
import { aboutCall } from "./about-call.js";
import { aboutLimitWait, againIn } from "./limit-wait.js";

/** What a run has at stake from before it began. */
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

type Told = { readonly [T in EventType]?: (payload: Payload<T>, state: RunState, ts: string) => void };

/** What a run is at right now, as far as its events tell. */
export class RunState {
  readonly #states = new Map<string, TaskState>();
  readonly #prd: Prd;
  /** the highest yet: the check of what was there before goes on beside the first of them */
  iteration = 0;
  /** by the whole session */
  used: Usage;
  /** what is waited for */
  doing = "starting the containers";
  since: number;
  /** what is waited for now is counted by no cap */
  #isOutside = false;
  #outsideMs = 0;
  /** characters of a reply that is still coming in; 0 where none is */
  arrived = 0;
  /** what a reply was waited for, where it has to be asked for again */
  #beforeRetry: string | null = null;

  constructor({ prd, used }: Start, now: number) {
    this.#prd = prd;
    for (const { id, status } of prd) this.#states.set(id, status === "done" ? "done" : "pending");
    this.used = { ...used };
    this.since = now;
  }

  /** How long of the run so far no cap counts. */
  outsideMs(now: number): number {
    return this.#outsideMs + (this.#isOutside ? now - this.since : 0);
  }

  /** As TILTH_MAX_TOKENS counts them. */
  get tokens(): number {
    return countedTokens(this.used);
  }

  get tasks(): readonly WatchedTask[] {
    return this.#prd.map(({ id, title }) => ({ id, title, state: this.#states.get(id) ?? "pending" }));
  }

  heard({ type, payload, ts }: TilthEvent, now: number): void {
    const before = this.doing;
    this.#leaveOutside(now);
    this.#isOutside = type === "limit_wait" && payload.uncounted === true;
    if (typeof payload === "object" && "iter" in payload && typeof payload.iter === "number")
      this.iteration = Math.max(this.iteration, payload.iter);
    (told[type] as ((payload: unknown, state: RunState, ts: string) => void) | undefined)?.(payload, this, ts);
    if (this.doing === before && !this.#isOutside) return;
    this.since = now;
    if (type !== "model_retry" && type !== "limit_wait") this.#beforeRetry = null;
  }

  arriving(chars: number, now: number): void {
    this.arrived = chars;
    if (this.#beforeRetry === null) return;
    this.#leaveOutside(now);
    this.doing = this.#beforeRetry;
    this.since = now;
    this.#beforeRetry = null;
  }

  #leaveOutside(now: number): void {
    if (this.#isOutside) this.#outsideMs += now - this.since;
    this.#isOutside = false;
  }

  retry(why: string): void {
    this.#beforeRetry ??= this.doing;
    this.doing = why;
    this.arrived = 0;
  }

  /** Nothing is done when a session is run for the first time, whatever prd.json said. */
  beginAnew(): void {
    for (const { id } of this.#prd) this.set(id, "pending");
  }

  set(task: string, state: TaskState): void {
    this.#states.set(task, state);
  }
}

const thinking = "the model is thinking";

const told: Told = {
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
  tool_call: ({ tool, args }, state) => {
    state.doing = tool === "submit_case" ? "running the checks" : `${tool} ${aboutCall(args)}`;
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
