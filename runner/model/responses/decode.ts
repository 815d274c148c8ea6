import { z } from "zod";
import type { ModelReply } from "../port/model-client.js";
import {
  type DecodedReply,
  expectShape,
  failOnError,
  NotACompletion,
  ProviderError,
  type ReplyContext,
  readAnswer,
  replyOf,
} from "../wire/answer.js";
import { boundedCalls, heardCalls } from "../wire/calls.js";
import { type Fields, fieldsOf, present } from "../wire/fields.js";
import { boundedOwn } from "../wire/own-fields.js";
import { costOf, usageOfResponse } from "../wire/usage.js";

const bodySchema = z.looseObject({
  output: z.array(z.unknown()),
  status: z.string().optional().catch(undefined),
  incomplete_details: z.looseObject({ reason: z.string() }).nullish().catch(null),
  model: z.string().optional().catch(undefined),
  usage: z.unknown().optional(),
});
type Body = z.infer<typeof bodySchema>;

/** Reads a reply of the Responses interface, and keeps its items to send them back as they came. */
export function decodeResponse(text: string, headers: Headers, context: ReplyContext): Omit<ModelReply, "ms"> {
  return readAnswer(text, (body) => {
    failOnFailure(body, headers, context);
    const answer = expectShape(bodySchema, body, "reply of the Responses interface");
    if (answer.status === "queued" || answer.status === "in_progress")
      throw new NotACompletion("the reply was not awaited there");
    const items = answer.output.map(fieldsOf).filter(({ type }) => typeof type === "string");
    const heard = heardIn(items, context);
    const around = {
      finish: finishOf(answer, heard),
      usage: usageOfResponse(answer.usage, { promptChars: context.promptChars, replyChars: heard.chars }),
      cost: costOf(answer.usage, headers),
      model: answer.model,
    };
    return replyOf(heard, around, context);
  });
}

/** This interface names its errors; others give the number of an HTTP status. */
const statuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  // the same prompt would be refused again, and counted against the account
  invalid_prompt: 400,
};

function failOnFailure(body: unknown, headers: Headers, { masker }: ReplyContext): void {
  const { status, error } = fieldsOf(body);
  const status_ = statuses[String(fieldsOf(error).code)];
  if (status_ !== undefined) throw new ProviderError(status_, masker.text(JSON.stringify(error)), headers);
  failOnError(body, headers, masker);
  if (status === "failed" || status === "cancelled") throw new ProviderError(null, `the reply is ${status}`, headers);
}

function finishOf({ status, incomplete_details }: Body, { message }: DecodedReply): string {
  const why = incomplete_details?.reason;
  if (why === "max_output_tokens") return "length";
  if (status === "incomplete") return why ?? "incomplete";
  return message.calls.length > 0 ? "tool_calls" : "stop";
}

function heardIn(raw: readonly Fields[], context: ReplyContext): DecodedReply {
  const { masker, provider } = context;
  const { kept, dropped } = boundedCalls(raw.filter(isCall));
  const items = masker.deep(raw.filter((item) => !isCall(item) || kept.includes(item)).map(present));
  const made = heardCalls(
    kept.map((item) => ({ id: item.call_id, name: item.name, arguments: item.arguments })),
    { masker, takenIds: context.takenIds },
  );
  const calls = made.map(({ call }) => call);
  const theirs = made.map(({ theirId }) => (theirId === null ? {} : { id: theirId }));
  const back = whatCanGoBack(items);
  const bounded = boundedOwn(provider, back.length === 0 ? {} : { output: back }, theirs);
  const reasoning = items.filter(isReasoning);
  const [content, thoughts] = [wordsOf(items.filter(isMessage)), wordsOf(reasoning)];
  const produced = [content, thoughts, ...calls.map((call) => call.name + call.arguments)].join("").length;
  return {
    message: { role: "assistant", content: content === "" ? null : content, calls, own: bounded.own },
    reasoningText: thoughts === "" ? null : thoughts,
    hasReasoned: reasoning.length > 0,
    callsDropped: dropped.length,
    fieldsDropped: bounded.dropped,
    chars: dropped.reduce((sum: number, item) => sum + JSON.stringify(item).length, produced),
  };
}

/**
 * Reasoning goes back sealed or in words. If only its id came, the endpoint has stored nothing to find by it, and it
 * refuses reasoning with nothing after it. In these cases all reasoning is left out, and the other items lose their
 * ids, which would tell that reasoning belongs to them.
 */
function whatCanGoBack(items: readonly Fields[]): readonly Fields[] {
  const last = items.findLastIndex((item) => !isReasoning(item));
  const whole = items.slice(0, last + 1);
  if (whole.every((item) => !isReasoning(item) || holdsItself(item))) return whole;
  return whole.filter((item) => !isReasoning(item)).map(({ id, ...item }) => item);
}

function holdsItself({ encrypted_content, content }: Fields): boolean {
  return typeof encrypted_content === "string" || (Array.isArray(content) && content.length > 0);
}

function isCall({ type }: Fields): boolean {
  return type === "function_call";
}

function isReasoning({ type }: Fields): boolean {
  return type === "reasoning";
}

function isMessage({ type }: Fields): boolean {
  return type === "message";
}

/** Joins the texts, refusals and summaries that are there. */
function wordsOf(items: readonly Fields[]): string {
  const parts = items.flatMap(({ content, summary }) =>
    [content, summary].flatMap((list) => (Array.isArray(list) ? list : [])),
  );
  return parts
    .map(fieldsOf)
    .map(({ text, refusal }) => text ?? refusal)
    .filter((text) => typeof text === "string" && text !== "")
    .join("\n");
}
