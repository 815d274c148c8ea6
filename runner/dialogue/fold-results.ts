import type { Message, ToolCall } from "../model/port/model-client.js";
import { foldedLine, isDear, longestLine, type Result } from "./folded-line.js";

/**
 * How far folding may go: only to what can be had again by asking again, to all that the model has seen, or to all. What
 * it has not seen yet is let go only where the turn cannot be had without.
 */
export type Reach = "cheap" | "seen" | "all";

export interface Folding {
  readonly messages: readonly Message[];
  /** ids of the calls whose results were folded */
  readonly folded: readonly string[];
  /** what stands in their places, one line each */
  readonly lines: readonly string[];
}

/**
 * Folds results of tools to one line each, until half of what that can free is free: a provider that keeps the beginnings
 * of prompts has to read all behind the first of them anew, so it is done seldom. The oldest go first of what can be had
 * again by asking again, then of what cannot, and the answers to the last reply only when nothing else is left. Every round
 * folds more; one that folds nothing is the last.
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
  const folds = (results: readonly Result[]) =>
    results.map((result) => ({ result, line: foldedLine(result, calls.get(result.callId), seen.includes(result)) }));
  const isCheap = ({ callId }: Result) => !isDear(calls.get(callId));
  const dear = reach === "cheap" ? [] : seen.filter((result) => !isCheap(result));
  const inOrder = [...seen.filter(isCheap), ...dear];
  const chosen = inOrder.length > 0 ? halfOf(folds(inOrder)) : folds(unseen);
  const lines = new Map<Message, string>(chosen.map(({ result, line }) => [result, line]));
  return {
    messages: messages.map((message) => withText(message, lines.get(message))),
    folded: chosen.map(({ result }) => result.callId),
    lines: chosen.map(({ line }) => line),
  };
}

interface Fold {
  readonly result: Result;
  readonly line: string;
}

function withText(message: Message, content: string | undefined): Message {
  return content === undefined || message.role !== "tool" ? message : { ...message, content };
}

function isLong(message: Message): message is Result {
  return message.role === "tool" && message.content.length > longestLine;
}

/** As many from the start as free half of what all would. */
function halfOf(folds: readonly Fold[]): readonly Fold[] {
  const half = folds.reduce((sum, fold) => sum + freed(fold), 0) / 2;
  let free = 0;
  return folds.filter((fold) => {
    if (free >= half) return false;
    free += freed(fold);
    return true;
  });
}

function freed({ result, line }: Fold): number {
  return result.content.length - line.length;
}

function callsIn(messages: readonly Message[]): ReadonlyMap<string, ToolCall> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  return new Map(calls.map((call) => [call.id, call]));
}
