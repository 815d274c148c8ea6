import type { Message, ToolCall } from "../model/model-client.js";
import { foldedLine, isDear, longestLine, type Result } from "./folded-line.js";

/** How far folding may go: what the model has not seen yet is let go only where the turn cannot be had without. */
export type Reach = "seen" | "all";

export interface Folding {
  readonly messages: readonly Message[];
  /** ids of the calls whose results were folded */
  readonly folded: readonly string[];
  /** what stands in their places, one line each */
  readonly lines: readonly string[];
}

/**
 * Folds the older half of what tools answered to one line each, the answers themselves staying. First goes what can be
 * had again by asking again, then what cannot, and the answers to the last reply only when nothing else is left. Every
 * round folds more; one that folds nothing is the last.
 */
export function foldResults(messages: readonly Message[], reach: Reach): Folding {
  const calls = callsIn(messages);
  const seen = messages
    .slice(
      0,
      messages.findLastIndex(({ role }) => role === "assistant"),
    )
    .filter(isLong);
  const unseen = reach === "all" ? messages.filter(isLong) : [];
  const cheap = seen.filter(({ callId }) => !isDear(calls.get(callId)));
  const chosen = [olderHalf(cheap), olderHalf(seen), unseen].find((results) => results.length > 0) ?? [];
  const lines = new Map<Message, string>(
    chosen.map((result) => [result, foldedLine(result, calls.get(result.callId), seen.includes(result))]),
  );
  return {
    messages: messages.map((message) => withText(message, lines.get(message))),
    folded: chosen.map(({ callId }) => callId),
    lines: [...lines.values()],
  };
}

function withText(message: Message, content: string | undefined): Message {
  return content === undefined || message.role !== "tool" ? message : { ...message, content };
}

function isLong(message: Message): message is Result {
  return message.role === "tool" && message.content.length > longestLine;
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

function callsIn(messages: readonly Message[]): ReadonlyMap<string, ToolCall> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  return new Map(calls.map((call) => [call.id, call]));
}
