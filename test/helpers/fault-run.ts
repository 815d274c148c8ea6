import { expect } from "vitest";
import { exitCodeOfStop } from "../../cli/output/exit-codes.js";
import type { RunEnd } from "../../runner/app/running/session-run.js";
import type { ScriptedRequest, WireMessage } from "../../runner/demo/script/script.js";
import { openModelClient } from "../../runner/model/openai-client.js";
import type { Message } from "../../runner/model/port/model-client.js";
import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import type { SteppingClock } from "./loop-clock.js";
import { faultsOfHistory } from "./loop-oracle.js";
import { type LoopOptions, LoopSession } from "./loop-session.js";
import { caseOf } from "./loop-turns.js";
import { endpointsOf, startModel, type Turn } from "./scripted-model.js";

export type Turns = readonly Turn[] | (() => Turn);

/** The turns of each role's endpoint, one after the other. When they run out, the model agrees. */
export interface FaultScript {
  readonly worker?: Turns;
  readonly evaluator?: Turns;
  readonly self_improve?: Turns;
}

export interface FaultLimits {
  readonly requestTimeoutSeconds?: number;
  readonly maxOutageMinutes?: number;
  /** used in place of the scripted server's */
  readonly baseUrl?: string;
}

/** Solves the one task of the session. */
export const solve: Turn = {
  calls: [
    ["write_file", { path: "feature_1.py", content: "value = 1\n" }],
    ["submit_case", caseOf()],
  ],
};

export class FaultRun {
  constructor(
    readonly end: RunEnd,
    readonly events: readonly TilthEvent[],
    readonly requests: readonly ScriptedRequest[],
    /** the length of each wait between attempts */
    readonly slept: readonly number[],
    readonly status: { readonly session: string; readonly task: string | undefined },
  ) {}

  get exit(): number {
    return exitCodeOfStop(this.end.stop.reason);
  }

  of<T extends EventType>(type: T): readonly Payload<T>[] {
    return this.events.filter((event) => event.type === type).map(({ payload }) => payload as Payload<T>);
  }

  /** replies of the worker that were counted against its task */
  get iterations(): number {
    return this.of("model_call").filter(({ phase }) => phase === "worker").length;
  }

  asked(role: ScriptedRequest["role"]): number {
    return this.requests.filter((request) => request.role === role).length;
  }
}

/** A script whose endpoint can move the session's clock. */
export type ScriptOn = (clock: SteppingClock) => FaultScript;

/** A whole session of one task, with the real client against a server that plays the faults. No wait takes any time. */
export async function faultRun(
  script: FaultScript | ScriptOn,
  limits: FaultLimits = {},
  options: LoopOptions = {},
): Promise<FaultRun> {
  const session = await LoopSession.open(options);
  await using model = await startModel(typeof script === "function" ? script(session.clock) : script);
  const { baseUrl = model.baseUrl, ...given } = limits;
  const bounds = { requestTimeoutSeconds: 20, maxOutageMinutes: 10, ...given };
  const client = openModelClient(endpointsOf(baseUrl), bounds, { session: session.files.id, clock: session.clock });
  const { end, events } = await session.runOn(client);
  for (const { role, messages } of model.requests)
    expect(faultsOfHistory({ role: "worker", messages: messages.map(read), tools: [] }), role).toEqual([]);
  const status = { session: session.files.loadCheckpoint().status, task: session.statuses[0] };
  return new FaultRun(end, events, model.requests, session.clock.slept, status);
}

function read({ role, content, tool_calls, tool_call_id }: WireMessage): Message {
  const text = String(content);
  if (role === "tool") return { role, callId: tool_call_id ?? "", content: text };
  if (role !== "assistant") return { role: role === "system" ? role : "user", content: text };
  const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    arguments: args,
  }));
  return { role, content: text, calls, own: null };
}
