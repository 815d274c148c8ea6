import type { EventType, Payload, TilthEvent } from "../../runner/session/events.js";
import type { Prd } from "../../runner/session/prd.js";
import { aboutCall } from "./about-call.js";

/** What a run has at stake from before it began. */
export interface Start {
  readonly prd: Prd;
  readonly tokens: number;
  readonly cost: number | null;
}

export type TaskState = "pending" | "working" | "done" | "failed";

export interface WatchedTask {
  readonly id: string;
  readonly title: string;
  readonly state: TaskState;
}

type Told = { readonly [T in EventType]?: (payload: Payload<T>, state: RunState) => void };

/** What a run is at right now, as far as its events tell. */
export class RunState {
  readonly #states = new Map<string, TaskState>();
  readonly #prd: Prd;
  /** the highest yet: the check of what was there before goes on beside the first of them */
  iteration = 0;
  tokens: number;
  cost: number | null;
  /** what is waited for */
  doing = "starting the containers";
  since: number;

  constructor({ prd, tokens, cost }: Start, now: number) {
    this.#prd = prd;
    for (const { id, status } of prd) this.#states.set(id, status === "done" ? "done" : "pending");
    this.tokens = tokens;
    this.cost = cost;
    this.since = now;
  }

  get tasks(): readonly WatchedTask[] {
    return this.#prd.map(({ id, title }) => ({ id, title, state: this.#states.get(id) ?? "pending" }));
  }

  heard({ type, payload }: TilthEvent, now: number): void {
    const before = this.doing;
    if (typeof payload === "object" && "iter" in payload && typeof payload.iter === "number")
      this.iteration = Math.max(this.iteration, payload.iter);
    (told[type] as ((payload: unknown, state: RunState) => void) | undefined)?.(payload, this);
    if (this.doing !== before) this.since = now;
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
  model_call: ({ tokens_used_total, cost }, state) => {
    state.tokens = tokens_used_total;
    if (cost !== null) state.cost = (state.cost ?? 0) + cost;
  },
  model_retry: ({ wait_ms, reason }, state) => {
    state.doing = `asking the model again in ${Math.ceil(wait_ms / 1000)} s: ${reason}`;
  },
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
  },
};
