import { Interrupted } from "../../runner/base/errors.js";
import type {
  CallOptions,
  ModelClient,
  ModelReply,
  ModelRequest,
  Own,
  Retry,
  Usage,
} from "../../runner/model/port/model-client.js";

export type FakeRole = "worker" | "evaluator" | "interviewer" | "self_improve";

export interface FakeReply {
  readonly content?: string;
  readonly calls?: readonly (readonly [tool: string, args: unknown])[];
  readonly reasoning?: string;
  readonly finish?: string;
  /** missing parts are as in `usualUsage` */
  readonly usage?: Partial<Usage>;
  readonly cost?: number;
  /** passed to `onRetry` before the reply comes */
  readonly retries?: readonly Retry[];
}

/** A turn: a reply, an error to fail with, `hang` until the signal aborts, or a function of what was asked. */
export type FakeTurn = FakeReply | Error | "hang" | ((request: ModelRequest) => FakeTurn);

export const usualUsage: Usage = {
  promptTokens: 100,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  evalTokens: 20,
  reasoningTokens: 0,
  estimated: false,
};

/** Plays turns per role, in memory; a role without turns left fails the test. */
export class FakeModelClient implements ModelClient {
  readonly requests: { readonly role: FakeRole; readonly request: ModelRequest; readonly bestEffort: boolean }[] = [];
  readonly #turns: Record<FakeRole, FakeTurn[]>;
  #ids = 0;

  constructor(turns: Partial<Record<FakeRole, readonly FakeTurn[]>>) {
    const of = (role: FakeRole) => [...(turns[role] ?? [])];
    this.#turns = {
      worker: of("worker"),
      evaluator: of("evaluator"),
      interviewer: of("interviewer"),
      self_improve: of("self_improve"),
    };
  }

  of(role: FakeRole): readonly ModelRequest[] {
    return this.requests.filter((one) => one.role === role).map((one) => one.request);
  }

  async complete(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    const role = request.role === "worker" && request.tools.length === 0 ? "self_improve" : request.role;
    this.requests.push({ role, request: structuredClone(request), bestEffort: options.bestEffort ?? false });
    if (options.signal.aborted) throw new Interrupted();
    let turn = this.#turns[role].shift();
    while (typeof turn === "function") turn = turn(request);
    if (turn === undefined) throw new Error(`the script of ${role} has no turn left`);
    if (turn === "hang") return untilAborted(options.signal);
    if (turn instanceof Error) throw turn;
    for (const retry of turn.retries ?? []) options.onRetry(retry);
    return this.#reply(turn, role);
  }

  #reply(turn: FakeReply, role: FakeRole): ModelReply {
    const calls = (turn.calls ?? []).map(([name, args]) => ({
      id: `call_${++this.#ids}`,
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    }));
    const own = turn.reasoning === undefined ? null : ownOf({ reasoning: turn.reasoning }, calls.length);
    return {
      message: { role: "assistant", content: turn.content ?? null, calls, own },
      reasoningText: turn.reasoning ?? null,
      hasReasoned: turn.reasoning !== undefined,
      finishReason: turn.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
      usage: { ...usualUsage, ...turn.usage },
      cost: turn.cost ?? null,
      model: `fake-${role}`,
      modelAsked: null,
      ms: 1,
    };
  }
}

function ownOf(fields: Own["fields"], calls: number): Own {
  return { by: "the fake", fields, calls: Array.from({ length: calls }, () => ({})) };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Interrupted()), { once: true });
  });
}
