import { randomBytes } from "node:crypto";
import type { Masker } from "../support/mask.js";
import type { AssistantMessage, ToolCall } from "./model-client.js";

export const reasoningFields = ["reasoning", "reasoning_details", "reasoning_content"] as const;
/** More calls of one reply are neither kept nor sent back; but for the last, which shows whether the reply was cut off. */
export const mostCallsKept = 2_048;
/** Printable, and no longer than the strictest provider takes. */
const plainId = /^[!-~]{1,40}$/;

export interface Decoded {
  readonly message: AssistantMessage;
  readonly reasoningText: string | null;
  /** calls that were too many to be kept */
  readonly callsDropped: number;
  /** characters the model produced */
  readonly chars: number;
}

interface DecodeContext {
  readonly masker: Masker;
  readonly takenIds: ReadonlySet<string>;
}

type Fields = Readonly<Record<string, unknown>>;

export function decodeMessage(raw: Fields | null, context: DecodeContext): Decoded {
  const fields = raw ?? {};
  const content = textOf(fields.content) ?? textOf(fields.refusal);
  const reasoning = context.masker.deep(reasoningOf(fields));
  const { kept, dropped } = boundedCalls(fields.tool_calls);
  const calls = callsOf(kept, context);
  const reasoningText = reasoningAsText(reasoning);
  const produced = [content, reasoningText, ...calls.map((call) => call.name + call.arguments)].join("").length;
  return {
    message: {
      role: "assistant",
      content: content === null ? null : context.masker.text(content),
      calls,
      reasoning,
    },
    reasoningText,
    callsDropped: dropped.length,
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

function reasoningOf(fields: Fields): Fields {
  const present = reasoningFields.filter((name) => fields[name] !== undefined && fields[name] !== null);
  return Object.fromEntries(present.map((name) => [name, fields[name]]));
}

function reasoningAsText(reasoning: Fields): string | null {
  for (const name of ["reasoning", "reasoning_content"]) {
    const text = textOf(reasoning[name]);
    if (text) return text;
  }
  const details = reasoning.reasoning_details;
  if (!Array.isArray(details)) return null;
  const texts = details.map(fieldsOf).map((detail) => detail.text ?? detail.summary);
  return texts.filter((text) => typeof text === "string").join("\n") || null;
}

function callsOf(raw: readonly unknown[], { masker, takenIds }: DecodeContext): ToolCall[] {
  const taken = new Set(takenIds);
  return raw.map(fieldsOf).map((call) => {
    const called = fieldsOf(call.function);
    const id = usableId(call.id, { masker, takenIds: taken }) ?? ourId();
    taken.add(id);
    const name = typeof called.name === "string" ? masker.text(called.name) : "";
    return { id, name, arguments: argumentsOf(called.arguments, masker) };
  });
}

function usableId(id: unknown, { masker, takenIds }: DecodeContext): string | null {
  if (typeof id !== "string" || !plainId.test(id) || takenIds.has(id)) return null;
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

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
