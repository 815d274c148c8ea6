import type { Message, ToolCall } from "../../model/port/model-client.js";
import type { ToolSet } from "../../tools/tool/registry.js";
import { foldedLine, isDear, longestLine, type Result } from "./folded-line.js";

/**
 * Limits folding: `cheap` to results that another call can bring back, `seen` to everything the model has seen, `all`
 * to nothing. Results the model has not seen are folded only if the turn is impossible otherwise.
 */
export type Reach = "cheap" | "seen" | "all";

export interface Folding {
  readonly messages: readonly Message[];
  /** ids of the calls whose results were folded */
  readonly folded: readonly string[];
  /** the line that replaces each of these results */
  readonly lines: readonly string[];
}

/**
 * Folds tool results to one line each until half of what can be freed is free. Folding is rare because a provider that
 * caches prompt prefixes must read everything after the first folded result again. Results that another call can bring
 * back go first, oldest first, then those that cannot be had again, and the answers to the last reply only if nothing
 * else is left. Every round folds more; a round that folds nothing is the last.
 */
export function foldResults(messages: readonly Message[], reach: Reach, tools: ToolSet): Folding {
  const calls = callsIn(messages);
  const seen = messages
    .slice(
      0,
      messages.findLastIndex(({ role }) => role === "assistant"),
    )
    .filter(isLong);
  const unseen = reach === "all" ? messages.filter(isLong) : [];
  const folds = (results: readonly Result[]) =>
    results.map((result) => {
      const told = { result, call: calls.get(result.callId), seen: seen.includes(result) };
      return { result, line: foldedLine(told, tools) };
    });
  const isCheap = ({ callId }: Result) => !isDear(calls.get(callId), tools);
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

/** Takes folds from the start until they free half of what all of them would. */
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
