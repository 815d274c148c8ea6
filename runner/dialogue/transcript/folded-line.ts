import { say } from "../../base/prompts.js";
import type { Message, ToolCall } from "../../model/port/model-client.js";
import { oneLine } from "../../text/sanitise.js";
import { parseArguments } from "../../tools/tool/arguments.js";

export type Result = Extract<Message, { role: "tool" }>;

/** A folded line is at most this long, and only longer results are folded, so folding comes to an end. */
export const longestLine = 400;
const longestName = 64;
const longestArgument = 80;

/** The argument that identifies a call, for each tool. */
const mainArgument: Readonly<Record<string, string | undefined>> = {
  bash: "command",
  read_file: "path",
  write_file: "path",
  edit_file: "path",
  glob: "pattern",
  grep: "pattern",
  ask_user: "question",
};
/** Calling one of these again costs an evaluator call, a staging or a person's time. */
const dearTools = new Set(["submit_case", "write_seed", "ask_user"]);

export function isDear(call: ToolCall | undefined): boolean {
  return call !== undefined && dearTools.has(call.name);
}

/** The line that replaces a result: what it was, how long it was and how to see it again. */
export function foldedLine(result: Result, call: ToolCall | undefined, seen: boolean): string {
  const values = { call: call === undefined ? "a tool" : nameOf(call), chars: String(result.content.length) };
  if (!seen) return say("folded-unseen", values);
  return say(isDear(call) ? "folded-dear" : "folded", values);
}

function nameOf(call: ToolCall): string {
  const name = oneLine(call.name, longestName);
  const key = Object.hasOwn(mainArgument, call.name) ? mainArgument[call.name] : undefined;
  if (key === undefined) return name;
  const args = parseArguments(call.arguments);
  const value = args.kind === "object" ? args.value[key] : undefined;
  return typeof value === "string" ? `${name} ${JSON.stringify(oneLine(value, longestArgument))}` : name;
}
