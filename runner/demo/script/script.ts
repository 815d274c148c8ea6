import { type Endpoints, untuned } from "../../settings/endpoints.js";

/**
 * A tool call of a scripted model. A text is sent as it stands, so a script can be malformed; anything else is sent as
 * JSON.
 */
export type ScriptedCall = readonly [tool: string, args: unknown];

interface Extras {
  readonly usage?: { readonly prompt: number; readonly completion: number } | null;
  readonly cost?: number;
  /** sent under `reasoning` */
  readonly reasoning?: string;
  readonly finish?: string;
}

export type SpokenTurn =
  | ({ readonly calls: readonly ScriptedCall[]; readonly content?: string } & Extras)
  /** prose without a call */
  | ({ readonly quiet: string } & Extras)
  /** no content, calls or reasoning */
  | ({ readonly empty: true } & Extras)
  /** one call with arguments that stop short, and finish_reason length */
  | ({ readonly cut: ScriptedCall } & Extras)
  /** a whole message, sent as it is */
  | ({ readonly message: unknown } & Extras);

export type PlainTurn =
  | SpokenTurn
  /** any HTTP answer; a body that is not text is sent as JSON */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  /** the connection is accepted and never answered */
  | { readonly hang: true }
  /** the connection ends without an answer, or after the head and half a body */
  | { readonly drop: "at once" | "half way" }
  /** an answer sent as it stands, head and all, and what becomes of the connection after it */
  | { readonly raw: string | Uint8Array; readonly after: "end" | "reset" | "stall" }
  /** an answer sent as it stands, slowly, one byte at a time */
  | { readonly drip: string };

/** A turn, or a rule that chooses it by the request. */
export type Turn = PlainTurn | ((request: ScriptedRequest) => Turn);

export type ScriptedRole = "worker" | "evaluator" | "interviewer" | "self_improve";

/** The turns of each role in order, or one rule for all of them. */
export type Script = Partial<Readonly<Record<ScriptedRole, readonly Turn[] | ((request: ScriptedRequest) => Turn)>>>;

export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** One recorded request, as it came over the wire. */
export interface ScriptedRequest {
  readonly role: ScriptedRole;
  /** number of earlier requests of this role */
  readonly index: number;
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly string[];
  readonly authorization: string | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The model names that tell the roles' requests apart. */
export const scriptedModels = {
  worker: "scripted-worker",
  evaluator: "scripted-evaluator",
  interviewer: "scripted-interviewer",
} as const;

export function scriptedEndpoints(baseUrl: string, apiKey: string | null): Endpoints {
  const at = (model: string) => ({ baseUrl, apiKey, model, api: "chat" as const, tuning: untuned });
  return {
    worker: at(scriptedModels.worker),
    evaluator: at(scriptedModels.evaluator),
    interviewer: at(scriptedModels.interviewer),
  };
}

/**
 * Played once a role's turns are used up. The evaluator accepts everything, so that only the mechanical gates are left
 * to hold.
 */
export const lastTurn: Readonly<Record<ScriptedRole, Turn>> = {
  worker: { quiet: "I am done." },
  evaluator: accept(),
  interviewer: { quiet: "I have nothing to ask." },
  self_improve: { quiet: '{"propose": "no"}' },
};

export function accept(concern = "Nothing speaks against it."): SpokenTurn {
  const verdict = { verdict: "accept", rejection_category: null, concern, evidence: [], next_step: null };
  return { calls: [["submit_verdict", verdict]] };
}

export function reject(
  category: string,
  concern: string,
  nextStep: string,
  evidence: readonly string[] = [],
): SpokenTurn {
  const verdict = { verdict: "reject", rejection_category: category, concern, evidence, next_step: nextStep };
  return { calls: [["submit_verdict", verdict]] };
}

/** Chooses the turn that answers a request. */
export function turnFor(script: Script, request: ScriptedRequest): PlainTurn {
  const play = script[request.role];
  let turn: Turn = (typeof play === "function" ? play : play?.[request.index]) ?? lastTurn[request.role];
  while (typeof turn === "function") turn = turn(request);
  return turn;
}
