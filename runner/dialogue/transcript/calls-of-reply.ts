import { say } from "../../base/prompts.js";
import type { ToolCall } from "../../model/port/model-client.js";
import type { LeftOut } from "./transcript.js";

/** The most calls of one reply that are run. */
export const mostCallsRun = 64;

export interface CallsOfReply {
  readonly first: readonly ToolCall[];
  /** the calls beyond that number */
  readonly others: readonly ToolCall[];
}

export function callsOfReply(calls: readonly ToolCall[]): CallsOfReply {
  return { first: calls.slice(0, mostCallsRun), others: calls.slice(mostCallsRun) };
}

export function tooMany(): LeftOut {
  return { why: "too_many", content: say("too-many-calls", { most: String(mostCallsRun) }) };
}
