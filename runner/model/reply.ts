import { z } from "zod";
import type { Masker } from "../support/mask.js";
import { decodeMessage } from "./decode-message.js";
import type { ModelReply } from "./model-client.js";
import { isSameModel } from "./same-model.js";
import { costOf, usageOf } from "./usage.js";

/** A 200 that is no chat completion: a proxy's page, a body cut short, another interface's answer. */
export class NotACompletion extends Error {}

/** A 200 that holds an error object; `status` is the one it names, if it names any. */
export class ProviderError extends Error {
  readonly status: number | null;
  readonly headers: Headers;
  constructor(status: number | null, message: string, headers: Headers) {
    super(message);
    this.name = "ProviderError";
    this.status = status;
    this.headers = headers;
  }
}

const errorSchema = z.looseObject({ code: z.unknown().optional(), status: z.unknown().optional() });
const choiceSchema = z.looseObject({
  message: z.looseObject({}).nullable(),
  finish_reason: z.string().nullish().catch(null),
});
const bodySchema = z.looseObject({
  choices: z.array(z.unknown()),
  model: z.string().optional().catch(undefined),
  usage: z.unknown().optional(),
});

export interface ReplyContext {
  readonly masker: Masker;
  /** ids that calls earlier in the conversation have, ours and their providers' */
  readonly takenIds: ReadonlySet<string>;
  readonly provider: string;
  /** the one asked for; stands in for a name that the provider leaves out */
  readonly model: string;
  /** characters asked, for a provider that does not count */
  readonly promptChars: number;
}

export function decodeReply(text: string, headers: Headers, context: ReplyContext): Omit<ModelReply, "ms"> {
  try {
    return decode(text, headers, context);
  } catch (error) {
    // thrown by the stack, when a reply nests a hundred thousand brackets
    if (error instanceof RangeError) throw new NotACompletion("the answer is nested too deep");
    throw error;
  }
}

function decode(text: string, headers: Headers, context: ReplyContext): Omit<ModelReply, "ms"> {
  const body = parse(text);
  failOnError(body, headers, context.masker);
  const { choices, model, usage } = expect(bodySchema, body);
  const choice = choices.length === 0 ? null : expect(choiceSchema, errorFree(choices[0], headers, context.masker));
  const decoded = decodeMessage(choice?.message ?? null, context);
  const answered = context.masker.text(model ?? context.model);
  return {
    message: decoded.message,
    reasoningText: decoded.reasoningText,
    hasReasoned: decoded.hasReasoned,
    finishReason: context.masker.text(finishReasonOf(choice?.finish_reason ?? null)),
    usage: usageOf(usage, { promptChars: context.promptChars, replyChars: decoded.chars }),
    cost: costOf(usage, headers),
    model: answered,
    modelAsked: isSameModel(context.model, answered) ? null : context.model,
    ...(decoded.callsDropped === 0 ? {} : { callsDropped: decoded.callsDropped }),
    ...(decoded.fieldsDropped.length === 0 ? {} : { fieldsDropped: decoded.fieldsDropped }),
  };
}

/** Other providers' words for a reply that stopped at a limit. */
const cutWords = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
  "model_context_window_exceeded",
]);

function finishReasonOf(word: string | null): string {
  return word !== null && cutWords.has(word.toLowerCase()) ? "length" : (word ?? "unknown");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotACompletion("the answer is no JSON");
  }
}

function expect<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new NotACompletion("the answer is no chat completion");
  return result.data;
}

/** Some routers put the error into the choice. */
function errorFree(choice: unknown, headers: Headers, masker: Masker): unknown {
  failOnError(choice, headers, masker);
  return choice;
}

function failOnError(holder: unknown, headers: Headers, masker: Masker): void {
  if (typeof holder !== "object" || holder === null || !("error" in holder)) return;
  const { error } = holder;
  if (error === null || error === undefined) return;
  const named = errorSchema.safeParse(error).data;
  const status = statusOf(named?.code) ?? statusOf(named?.status);
  throw new ProviderError(status, masker.text(typeof error === "string" ? error : JSON.stringify(error)), headers);
}

function statusOf(value: unknown): number | null {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599 ? status : null;
}
