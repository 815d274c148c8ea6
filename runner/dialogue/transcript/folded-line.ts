import { say } from "../../base/prompts.js";
import { argumentsOf } from "../../model/port/call-arguments.js";
import type { Message, ToolCall } from "../../model/port/model-client.js";
import { oneLine } from "../../text/sanitise.js";
import { lookOf } from "../../tools/tool/look.js";
import type { ToolSet } from "../../tools/tool/registry.js";

export type Result = Extract<Message, { role: "tool" }>;

/** A folded line is at most this long, and only longer results are folded, so folding comes to an end. */
export const longestLine = 400;
const longestName = 64;
const longestArgument = 80;

/** True for a result that another call cannot bring back cheaply: it would cost a judgement or a person's time. */
export function isDear(call: ToolCall | undefined, tools: ToolSet): boolean {
  return call !== undefined && (tools.isTerminal(call.name) || lookOf(tools.looks, call.name)?.isDear === true);
}

interface FoldedCall {
  readonly result: Result;
  readonly call: ToolCall | undefined;
  /** the model has read it */
  readonly seen: boolean;
}

/** The line that replaces a result: what it was, how long it was and how to see it again. */
export function foldedLine({ result, call, seen }: FoldedCall, tools: ToolSet): string {
  const values = { call: call === undefined ? "a tool" : nameOf(call, tools), chars: String(result.content.length) };
  if (!seen) return say("folded-unseen", values);
  return say(isDear(call, tools) ? "folded-dear" : "folded", values);
}

/** A terminal tool stands by its name alone: its arguments are long, and of no use once it is answered. */
function nameOf(call: ToolCall, tools: ToolSet): string {
  const name = oneLine(call.name, longestName);
  const key = tools.isTerminal(call.name) ? undefined : lookOf(tools.looks, call.name)?.main;
  if (key === undefined) return name;
  const args = argumentsOf(call);
  const value = args.kind === "object" ? args.value[key] : undefined;
  return typeof value === "string" ? `${name} ${JSON.stringify(oneLine(value, longestArgument))}` : name;
}
