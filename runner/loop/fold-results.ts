import type { Message } from "../model/model-client.js";
import { say } from "../prompts.js";

/** Shorter ones would hardly shrink. */
const worthFolding = 400;

type Result = Extract<Message, { role: "tool" }>;

/**
 * Drops the text of the older half of what tools answered, the answers themselves staying. The answers to the last reply
 * are let go only when nothing else is left: the worker has not seen them yet.
 */
export function foldResults(messages: readonly Message[]): {
  readonly messages: readonly Message[];
  /** ids of the calls whose answers were dropped */
  readonly folded: readonly string[];
} {
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  const older = olderHalf(messages.slice(0, lastReply).filter(isLong));
  const chosen = new Set(older.length > 0 ? older : messages.filter(isLong));
  return {
    messages: messages.map((message) =>
      isLong(message) && chosen.has(message) ? shortened(message, messages) : message,
    ),
    folded: [...chosen].map(({ callId }) => callId),
  };
}

function isLong(message: Message): message is Result {
  return message.role === "tool" && message.content.length > worthFolding;
}

function olderHalf(results: readonly Result[]): readonly Result[] {
  const half = results.reduce((sum, { content }) => sum + content.length, 0) / 2;
  let dropped = 0;
  return results.filter(({ content }) => {
    if (dropped >= half) return false;
    dropped += content.length;
    return true;
  });
}

function shortened(result: Result, messages: readonly Message[]): Result {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  const tool = calls.find(({ id }) => id === result.callId)?.name.slice(0, 64) ?? "a tool";
  return { ...result, content: say("folded", { tool, chars: String(result.content.length) }) };
}
