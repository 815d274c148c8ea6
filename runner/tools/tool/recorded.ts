import { awakeMs } from "../../base/awake.js";
import { argumentsOf } from "../../model/port/call-arguments.js";
import type { ToolCall } from "../../model/port/model-client.js";
import type { EventSink, Span } from "../../session/log/events.js";

export interface CallLog {
  readonly events: EventSink;
  readonly span: Span;
  /** returns the call as the log shows it; by default as it is */
  readonly shown?: (call: ToolCall) => ToolCall;
}

/** The end of a call: the words for its model, and whatever else became of it. */
export interface CallEnd {
  readonly content: string;
}

/** Answers a call. The log gets the call before anything happens and the whole answer afterwards. */
export async function recorded<E extends CallEnd>(call: ToolCall, log: CallLog, answer: () => Promise<E>): Promise<E> {
  const about = { ...log.span, tool: call.name, call_id: call.id };
  const shown = log.shown?.(call) ?? call;
  const args = argumentsOf(shown);
  log.events.append("tool_call", { ...about, args: args.kind === "object" ? args.value : shown.arguments });
  const began = awakeMs();
  const end = await answer();
  log.events.append("tool_result", { ...about, content: end.content, ms: awakeMs() - began });
  return end;
}
