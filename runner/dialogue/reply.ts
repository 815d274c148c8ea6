import { argumentsOf } from "../model/port/call-arguments.js";
import type { ModelReply } from "../model/port/model-client.js";

type Reply = Pick<ModelReply, "message" | "hasReasoned" | "finishReason">;

/** True if a reply was cut at the length limit or is garbled. None of its calls may run then, not even whole ones. */
export function isCutOff({ message, finishReason }: Pick<Reply, "message" | "finishReason">): boolean {
  return finishReason === "length" || message.calls.some((call) => argumentsOf(call).kind === "torn");
}

/** True if nothing at all came back. A reply that was cut off is not empty, whatever is left of it. */
export function isEmpty({ message, hasReasoned, finishReason }: Reply): boolean {
  if (finishReason === "length" || message.calls.length > 0 || hasReasoned) return false;
  return (message.content ?? "").trim() === "";
}
