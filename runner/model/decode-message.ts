import { randomBytes } from "node:crypto";
import type { Masker } from "../support/mask.js";
import { type Fields, fieldsOf } from "./fields.js";
import type { AssistantMessage, ToolCall } from "./model-client.js";
import { boundedOwn } from "./own-fields.js";
import { hasReasoned, reasoningAsText } from "./reasoning.js";

/** More calls of one reply are neither kept nor sent back; but for the last, which shows whether the reply was cut off. */
export const mostCallsKept = 2_048;
/** Printable, and no longer than the strictest provider takes. */
const plainId = /^[!-~]{1,40}$/;
/** Some gateways put a signature into the id of a call. */
const longId = /^[!-~]{41,65536}$/;

export interface Decoded {
  readonly message: AssistantMessage;
  readonly reasoningText: string | null;
  readonly hasReasoned: boolean;
  /** calls that were too many to be kept */
  readonly callsDropped: number;
  readonly fieldsDropped: readonly string[];
  /** characters the model produced */
  readonly chars: number;
}

interface DecodeContext {
  readonly masker: Masker;
  /** ids that calls earlier in the conversation have, ours and their providers' */
  readonly takenIds: ReadonlySet<string>;
  /** who is heard */
  readonly provider: string;
}

export function decodeMessage(raw: Fields | null, context: DecodeContext): Decoded {
  const { masker, provider } = context;
  const { tool_calls: made, ...others } = raw ?? {};
  const fields = masker.deep(others);
  const { kept, dropped } = boundedCalls(made);
  const heard = callsOf(kept, context);
  const calls = heard.map(({ call }) => call);
  const { own, dropped: fieldsDropped } = boundedOwn(
    provider,
    ownOfMessage(fields),
    heard.map((one) => one.own),
  );
  const content = textOf(fields.content) ?? textOf(fields.refusal);
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

function boundedCalls(raw: unknown): { readonly kept: readonly unknown[]; readonly dropped: readonly unknown[] } {
  if (!Array.isArray(raw)) return { kept: [], dropped: [] };
  if (raw.length <= mostCallsKept) return { kept: raw, dropped: [] };
  return { kept: [...raw.slice(0, mostCallsKept - 1), raw.at(-1)], dropped: raw.slice(mostCallsKept - 1, -1) };
}

function charsOf(call: unknown): number {
  const { name, arguments: given } = fieldsOf(fieldsOf(call).function);
  return [name, given].reduce((sum: number, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}

/** Content as a string, or as a list of parts of which those with text count. */
function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => (typeof part === "string" ? part : fieldsOf(part).text));
  return texts.filter((text) => typeof text === "string").join("");
}

/** Without a content of its own, a message is the refusal in it: said twice it would be another message. */
function ownOfMessage({ role, content, ...others }: Fields): Fields {
  const own = present(others);
  if (Array.isArray(content)) return { content, ...own };
  return typeof content !== "string" && typeof own.refusal === "string" ? { content: null, ...own } : own;
}

/** Whatever a field is that holds null, it says no more than one that is not there. */
function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

interface HeardCall {
  readonly call: ToolCall;
  readonly own: Fields;
}

function callsOf(raw: readonly unknown[], { masker, takenIds }: DecodeContext): HeardCall[] {
  const taken = new Set(takenIds);
  return raw.map(fieldsOf).map((call) => {
    const { id: given, type, function: inner, ...others } = call;
    const { name: called, arguments: args, ...inside } = fieldsOf(inner);
    const theirs = usableId(given, { masker, taken });
    const id = theirs !== null && plainId.test(theirs) ? theirs : ourId();
    taken.add(id);
    if (theirs !== null) taken.add(theirs);
    const name = typeof called === "string" ? masker.text(called) : "";
    const more = present(inside);
    const own = {
      ...present(others),
      ...(theirs === null || theirs === id ? {} : { id: theirs }),
      ...(Object.keys(more).length === 0 ? {} : { function: more }),
    };
    return { call: { id, name, arguments: argumentsOf(args, masker) }, own: masker.deep(own) };
  });
}

interface Ids {
  readonly masker: Masker;
  readonly taken: ReadonlySet<string>;
}

function usableId(id: unknown, { masker, taken }: Ids): string | null {
  if (typeof id !== "string" || !(plainId.test(id) || longId.test(id)) || taken.has(id)) return null;
  return masker.text(id) === id ? id : null;
}

function ourId(): string {
  return `call_${randomBytes(12).toString("hex")}`;
}

function argumentsOf(raw: unknown, masker: Masker): string {
  if (raw === undefined) return "";
  if (typeof raw !== "string") return JSON.stringify(masker.deep(raw));
  return unescapedKeys(masker.text(raw), masker);
}

/** A key may stand in JSON with some of its characters escaped; it shows when the text is parsed. */
function unescapedKeys(text: string, masker: Masker): string {
  if (!text.includes("\\")) return text;
  try {
    const plain = JSON.stringify(JSON.parse(text));
    const masked = JSON.stringify(masker.deep(JSON.parse(text)));
    return masked === plain ? text : masked;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
