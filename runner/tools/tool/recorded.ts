import { awakeMs } from "../../base/awake.js";
import type { ToolCall } from "../../model/port/model-client.js";
import type { EventSink, Span } from "../../session/log/events.js";
import { parseArguments } from "./arguments.js";

export interface CallLog {
  readonly events: EventSink;
  readonly span: Span;
  /** returns the arguments as the log shows them; without it, they are logged as they are */
  readonly shown?: (call: ToolCall) => string;
}

/** Answers a call. The log gets the call before anything happens and the whole answer afterwards. */
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
