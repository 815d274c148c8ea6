import { z } from "zod";
import type { Masker } from "../../text/mask.js";
import type { AssistantMessage, ModelReply, Usage } from "../port/model-client.js";
import { isSameModel } from "./same-model.js";

/** The endpoint answered 200 with no reply: a proxy's page, a body cut short, another interface's answer. */
export class NotACompletion extends Error {}

/** The endpoint answered 200 with an error object; `status` is the one that the object names, if any. */
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
export interface ReplyContext {
  readonly masker: Masker;
  /** ids of calls earlier in the conversation, both ours and their providers' */
  readonly takenIds: Pick<ReadonlySet<string>, "has">;
  readonly provider: string;
  /** the model that was asked for; stands in for a name that the provider leaves out */
  readonly model: string;
  /** characters of the prompt, for a provider that does not count */
  readonly promptChars: number;
}

/** A reply, whichever interface it came through. */
export interface DecodedReply {
  readonly message: AssistantMessage;
  readonly reasoningText: string | null;
  readonly hasReasoned: boolean;
  /** number of calls that were too many to be kept */
  readonly callsDropped: number;
  readonly fieldsDropped: readonly string[];
  /** characters the model produced */
  readonly chars: number;
}

interface ReplyFacts {
  readonly finish: string;
  readonly usage: Usage;
  readonly cost: number | null;
  /** the name in the answer; undefined when there is none */
  readonly model: string | undefined;
}

/** Longer than any name of a model or of an ending; both stand in the log of each call. */
const longestName = 500;

export function replyOf(
  heard: DecodedReply,
  around: ReplyFacts,
  { masker, model }: ReplyContext,
): Omit<ModelReply, "ms"> {
  const answered = masker.text(around.model ?? model).slice(0, longestName);
  return {
    message: heard.message,
    reasoningText: heard.reasoningText,
    hasReasoned: heard.hasReasoned,
    finishReason: masker.text(around.finish).slice(0, longestName),
    usage: around.usage,
    cost: around.cost,
    model: answered,
    modelAsked: isSameModel(model, answered) ? null : model,
    ...(heard.callsDropped === 0 ? {} : { callsDropped: heard.callsDropped }),
    ...(heard.fieldsDropped.length === 0 ? {} : { fieldsDropped: heard.fieldsDropped }),
  };
}

/** Reads an answer with `decode`. An answer of any wrong shape ends in one of the two errors above. */
export function readAnswer<T>(text: string, decode: (body: unknown) => T): T {
  try {
    return decode(parse(text));
  } catch (error) {
    // the stack overflows when a reply nests a hundred thousand brackets
    if (error instanceof RangeError) throw new NotACompletion("the answer is nested too deep");
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotACompletion("the answer is no JSON");
  }
}

export function expectShape<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new NotACompletion(`the answer is no ${what}`);
  return result.data;
}

export function failOnError(holder: unknown, headers: Headers, masker: Masker): void {
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
