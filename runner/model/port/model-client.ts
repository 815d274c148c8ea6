import type { Role } from "../../settings/endpoints.js";

export type Message =
  | { readonly role: "system" | "user"; readonly content: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly callId: string; readonly content: string };

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly calls: readonly ToolCall[];
  /** all other fields that came with it; null when there are none */
  readonly own: Own | null;
}

/** A provider's own fields, some of them signed. They go back as they came, and only to the sender. */
export interface Own {
  /** the sender: interface, address and model */
  readonly by: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** for each call of the message, in order; includes its `id` when one of ours replaces it */
  readonly calls: readonly Readonly<Record<string, unknown>>[];
}

export interface ToolCall {
  /** ours when the provider's was missing, empty, repeated, over-long or no plain text; unique in the conversation */
  readonly id: string;
  readonly name: string;
  /** the raw text the model gave, keys masked; an object that came instead of a string is turned into JSON */
  readonly arguments: string;
}

/** One tool with the JSON schema of its parameters, as the chat completions interface takes it. */
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
  /** tokens of the prompt that were written to the provider's cache; the cached ones are not among them */
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
  /** true also when nobody can read the reasoning */
  readonly hasReasoned: boolean;
  readonly finishReason: string;
  readonly usage: Usage;
  /** US dollars; null when nobody tells them */
  readonly cost: number | null;
  /** the source of the cost; the provider by default */
  readonly costFrom?: "provider" | "prices";
  /** the model that answered, as the provider names it */
  readonly model: string;
  /** the model that was asked for if `model` is another one, else null */
  readonly modelAsked: string | null;
  /** number of calls that were too many to be kept; 0 by default */
  readonly callsDropped?: number;
  /** names of a provider's own fields that were too large to be kept; none by default */
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
  /** true when no cap counts the wait */
  readonly isUncounted: boolean;
}

/** A parameter, or a field of an earlier message, that the endpoint refused and is not sent again. */
export interface ParameterLeftOut {
  readonly parameter: string;
  /** its replacement, such as `max_tokens` or `reasoning_effort=none`; null for none */
  readonly sentInstead: string | null;
  /** the endpoint's words */
  readonly reason: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** called before each wait */
  readonly onRetry: (retry: Retry) => void;
  /** called before a wait for a limit, unless it is too short to be noticed */
  readonly onLimitWait?: (wait: LimitWait) => void;
  /** called once for each, before the request is sent again without it */
  readonly onLeftOut: (leftOut: ParameterLeftOut) => void;
  /** called now and then while a streamed reply comes in: its characters so far, from 0 again with each attempt */
  readonly onProgress?: (chars: number) => void;
  /** allows one retry only and waits out no outage */
  readonly bestEffort?: boolean;
}

/**
 * Asks a model one question.
 * Transport faults (408, 409, 425, 429, 5xx, refused or cut connections, a 200 that is no completion) are waited out
 * inside, up to the outage limit. `choices: []` and a null message are a reply with nothing in it, never an error.
 * It waits before it asks when a provider's headers, or a refusal that another session met, say that there is nothing
 * left.
 * A parameter that an endpoint refuses by name, and a request can do without, is left out from then on, which costs no
 * attempt.
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
