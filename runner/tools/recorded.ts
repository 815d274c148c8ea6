import type { ToolCall } from "../model/model-client.js";
import type { EventSink, TaskSpan } from "../session/events.js";
import { parseArguments } from "./arguments.js";

export interface CallLog {
  readonly events: EventSink;
  readonly span: TaskSpan | null;
}

/** Answers a call with the call in the log before anything happens, and its whole answer after. */
export async function recorded(call: ToolCall, log: CallLog, answer: () => Promise<string>): Promise<string> {
  const about = { ...log.span, tool: call.name, call_id: call.id };
  const args = parseArguments(call.arguments);
  log.events.append("tool_call", { ...about, args: args.kind === "object" ? args.value : call.arguments });
  const began = performance.now();
  const content = await answer();
  log.events.append("tool_result", { ...about, content, ms: performance.now() - began });
  return content;
}
