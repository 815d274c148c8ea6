import type { ModelReply } from "../model/model-client.js";
import { parseArguments } from "../tools/arguments.js";

type Reply = Pick<ModelReply, "message" | "reasoningText" | "finishReason">;

/** Cut at the length limit, or garbled: nothing of it may run, not even what is whole. */
export function isCutOff({ message, finishReason }: Pick<Reply, "message" | "finishReason">): boolean {
  return finishReason === "length" || message.calls.some((call) => parseArguments(call.arguments).kind === "torn");
}

/** Nothing at all came back. A reply that was cut off is not empty, whatever is left of it. */
export function isEmpty({ message, reasoningText, finishReason }: Reply): boolean {
  if (finishReason === "length" || message.calls.length > 0) return false;
  return [message.content, reasoningText, ...Object.values(message.reasoning)].every(saysNothing);
}

function saysNothing(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
