import { type Endpoints, untuned } from "../../base/settings.js";

/** A tool call a scripted model makes. Text is sent as it stands, so a script can be malformed; anything else as JSON. */
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
  /** one call whose arguments stop short, with finish_reason length */
  | ({ readonly cut: ScriptedCall } & Extras)
  /** a whole message, sent as it is */
  | ({ readonly message: unknown } & Extras);

export type PlainTurn =
  | SpokenTurn
  /** any HTTP answer; a body that is no text is sent as JSON */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  /** the connection is taken and nothing ever comes */
  | { readonly hang: true }
  /** the connection ends without an answer, or after the head and half a body */
  | { readonly drop: "at once" | "half way" }
  /** an answer byte by byte as it stands, head and all, and what becomes of the connection after it */
  | { readonly raw: string | Uint8Array; readonly after: "end" | "reset" | "stall" }
  /** the same, one byte at a time and never in a hurry */
  | { readonly drip: string };

/** A turn, or a rule that decides it by what was asked. */
export type Turn = PlainTurn | ((request: ScriptedRequest) => Turn);

export type ScriptedRole = "worker" | "evaluator" | "interviewer" | "self_improve";

/** Turns of one role in order, or one rule for all of them. */
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
  /** how many requests of this role came before */
  readonly index: number;
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly string[];
  readonly authorization: string | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The names a request is told apart by. */
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

/** What is played once a role's turns are used up: the mechanical gates must hold with an evaluator that agrees to all. */
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

/** The turn of a script that answers a request. */
export function turnFor(script: Script, request: ScriptedRequest): PlainTurn {
  const play = script[request.role];
  let turn: Turn = (typeof play === "function" ? play : play?.[request.index]) ?? lastTurn[request.role];
  while (typeof turn === "function") turn = turn(request);
  return turn;
}
