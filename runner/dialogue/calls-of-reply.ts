import { say } from "../base/prompts.js";
import type { ToolCall } from "../model/port/model-client.js";
import type { LeftOut } from "./transcript.js";

/** As many calls of one reply are run. */
export const mostCallsRun = 64;

export interface CallsOfReply {
  readonly first: readonly ToolCall[];
  /** beyond what is run of one reply */
  readonly others: readonly ToolCall[];
}

export function callsOfReply(calls: readonly ToolCall[]): CallsOfReply {
  return { first: calls.slice(0, mostCallsRun), others: calls.slice(mostCallsRun) };
}

export function tooMany(): LeftOut {
  return { why: "too_many", content: say("too-many-calls", { most: String(mostCallsRun) }) };
}
