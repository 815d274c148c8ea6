import { awakeMs } from "../base/awake.js";
import type { ToolCall } from "../model/port/model-client.js";
import type { EventSink, Span } from "../session/events.js";
import { parseArguments } from "./arguments.js";

export interface CallLog {
  readonly events: EventSink;
  readonly span: Span;
  /** the arguments as the log shows them; where it is missing, as they are */
  readonly shown?: (call: ToolCall) => string;
}

/** Answers a call with the call in the log before anything happens, and its whole answer after. */
export async function recorded(call: ToolCall, log: CallLog, answer: () => Promise<string>): Promise<string> {
  const about = { ...log.span, tool: call.name, call_id: call.id };
  const text = log.shown?.(call) ?? call.arguments;
  const args = parseArguments(text);
  log.events.append("tool_call", { ...about, args: args.kind === "object" ? args.value : text });
  const began = awakeMs();
  const content = await answer();
  log.events.append("tool_result", { ...about, content, ms: awakeMs() - began });
  return content;
}
