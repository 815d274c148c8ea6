import type { Role } from "../../base/settings.js";

export type Message =
  | { readonly role: "system" | "user"; readonly content: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly callId: string; readonly content: string };

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly calls: readonly ToolCall[];
  /** all else that came with it; null where that is nothing */
  readonly own: Own | null;
}

/** Fields of a provider's own, signed ones among them. They go back as they came, to who sent them and to nobody else. */
export interface Own {
  /** who sent them: the interface, the address and the model */
  readonly by: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** for each call of the message, in their order; its `id` is among them where ours stands in for it */
  readonly calls: readonly Readonly<Record<string, unknown>>[];
}

export interface ToolCall {
  /** ours where the provider's was missing, empty, repeated, over-long or no plain text; unique in the conversation */
  readonly id: string;
  readonly name: string;
  /** the raw text the model gave, keys masked; an object that came instead of a string is its JSON */
  readonly arguments: string;
}

/** A JSON schema for one tool, as the chat completions interface takes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly role: Role;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}

export interface Usage {
  /** the whole prompt */
  readonly promptTokens: number;
  /** tokens of the prompt that came from the provider's cache */
  readonly cachedTokens: number;
  /** tokens of the prompt that were written to the provider's cache; none of them are among the cached ones */
  readonly cacheWriteTokens: number;
  /** the whole reply */
  readonly evalTokens: number;
  /** tokens of the reply that were spent on reasoning */
  readonly reasoningTokens: number;
  /** counted by tilth because the provider gave nothing usable */
  readonly estimated: boolean;
}

export interface ModelReply {
  readonly message: AssistantMessage;
  /** reasoning as one text for the log, or null */
  readonly reasoningText: string | null;
  /** it has reasoned, whether or not in words that anybody can read */
  readonly hasReasoned: boolean;
  readonly finishReason: string;
  readonly usage: Usage;
  /** US dollars; null where nobody tells them */
  readonly cost: number | null;
  /** who told the cost; the provider unless given */
  readonly costFrom?: "provider" | "prices";
  /** the model that answered, as the provider names it */
  readonly model: string;
  /** the model that was asked for, where `model` is another; else null */
  readonly modelAsked: string | null;
  /** calls that were too many to be kept: nobody sees them again; none unless given */
  readonly callsDropped?: number;
  /** names of a provider's own fields that were too large to be kept; none unless given */
  readonly fieldsDropped?: readonly string[];
  readonly ms: number;
}

export interface Retry {
  readonly attempt: number;
  readonly reason: string;
  readonly waitMs: number;
}

/** A wait that a provider's limit asks for; it is no attempt and no fault. */
export interface LimitWait {
  readonly reason: string;
  readonly waitMs: number;
  readonly until: Date;
  /** no cap counts it */
  readonly isUncounted: boolean;
}

/** A parameter, or a field of an earlier message, that the endpoint refused and is not sent again. */
export interface ParameterLeftOut {
  readonly parameter: string;
  /** what goes in its place, such as `max_tokens` or `reasoning_effort=none`; null: nothing */
  readonly sentInstead: string | null;
  /** what the endpoint said */
  readonly reason: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** told before each wait */
  readonly onRetry: (retry: Retry) => void;
  /** told before a wait for a limit, unless it is too short to be noticed; nobody is told unless given */
  readonly onLimitWait?: (wait: LimitWait) => void;
  /** told once of each, before the request is sent again without it */
  readonly onLeftOut: (leftOut: ParameterLeftOut) => void;
  /** told now and then while a streamed reply comes in: its characters so far, from none on again with each attempt */
  readonly onProgress?: (chars: number) => void;
  /** the one retry of a best-effort question: no outage is waited out */
  readonly bestEffort?: boolean;
}

/**
 * One question to a model.
 *
 * Transport faults (408, 409, 425, 429, 5xx, refused or cut connections, a 200 that is no completion) are waited out
 * inside, up to the outage limit. `choices: []` and a null message are a reply with nothing in it, never an error.
 * Where a provider's headers, or a refusal that another session met, say that there is nothing left, it waits before it asks.
 * A parameter that an endpoint refuses by name, and a request can do without, is left out from then on, which costs no attempt.
 * Fails with TilthError `provider_denied` (401, 402, 403, 404), TilthError `infra` (everything else that is final),
 * ContextFull, or Interrupted when `signal` aborts; nothing else.
 */
export interface ModelClient {
  complete(request: ModelRequest, options: CallOptions): Promise<ModelReply>;
}

/** The conversation no longer fits the model's context. */
export class ContextFull extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ContextFull";
  }
}
