import type { DecodedReply } from "../wire/answer.js";
import { boundedCalls, type GivenCall, type Hearing, heardCalls } from "../wire/calls.js";
import { type Fields, fieldsOf, present } from "../wire/fields.js";
import { boundedOwn } from "../wire/own-fields.js";
import { hasReasoned, reasoningAsText } from "../wire/reasoning.js";

interface DecodeContext extends Hearing {
  /** the provider that sent the message */
  readonly provider: string;
}

export function decodeMessage(raw: Fields | null, context: DecodeContext): DecodedReply {
  const { masker, provider } = context;
  const { tool_calls, ...others } = raw ?? {};
  const fields = masker.deep(others);
  const { kept, dropped } = boundedCalls(Array.isArray(tool_calls) ? tool_calls : []);
  const made = kept.map(fieldsOf);
  const heard = heardCalls(made.map(givenOf), context);
  const calls = heard.map(({ call }) => call);
  const { own, dropped: fieldsDropped } = boundedOwn(
    provider,
    ownOfMessage(fields),
    masker.deep(made.map((call, at) => ownOfCall(call, heard[at]?.theirId ?? null))),
  );
  const words = textOf(fields.content) ?? textOf(fields.refusal);
  // parts that hold no key may hold one together
  const content = words === null ? null : masker.text(words);
  const reasoningText = reasoningAsText(fields);
  const produced = [content, reasoningText, ...calls.map((call) => call.name + call.arguments)].join("").length;
  return {
    message: { role: "assistant", content, calls, own },
    reasoningText,
    hasReasoned: hasReasoned(fields),
    callsDropped: dropped.length,
    fieldsDropped,
    chars: dropped.reduce((sum: number, call) => sum + charsOf(call), produced),
  };
}

function givenOf({ id, function: called }: Fields): GivenCall {
  const { name, arguments: given } = fieldsOf(called);
  return { id, name, arguments: given };
}

function charsOf(call: unknown): number {
  const { name, arguments: given } = fieldsOf(fieldsOf(call).function);
  return [name, given].reduce((sum: number, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}

/** Reads content that is a string, or a list of parts, and keeps only the parts with text. */
function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => (typeof part === "string" ? part : fieldsOf(part).text));
  return texts.filter((text) => typeof text === "string").join("");
}

/** A message without content shows its refusal as content. Sent back under both names it would be another message. */
function ownOfMessage({ role, content, ...others }: Fields): Fields {
  const own = present(others);
  if (Array.isArray(content)) return { content, ...own };
  return typeof content !== "string" && typeof own.refusal === "string" ? { content: null, ...own } : own;
}

/** Keeps everything else that came with a call, and its provider's id when one of ours replaces it. */
function ownOfCall(raw: Fields, theirId: string | null): Fields {
  const { id, type, function: called, ...others } = raw;
  const { name, arguments: given, ...inside } = fieldsOf(called);
  const more = present(inside);
  return {
    ...present(others),
    ...(theirId === null ? {} : { id: theirId }),
    ...(Object.keys(more).length === 0 ? {} : { function: more }),
  };
}
