import { say } from "../../base/prompts.js";
import { argumentsOf } from "../../model/port/call-arguments.js";
import type { AssistantMessage, Message } from "../../model/port/model-client.js";
import { writeSeed } from "../../tools/interviewer/write-seed.js";
import type { Folding } from "./fold-results.js";
import { longestLine } from "./folded-line.js";

/**
 * Drops refused seeds, except those in the last reply with a seed, which the model is correcting. An accepted seed ends
 * the interview, so every seed here was refused. What is left is JSON that any provider takes.
 */
export function foldSeeds(messages: readonly Message[]): Folding {
  const last = messages.findLastIndex((message) => message.role === "assistant" && message.calls.some(isSeed));
  const chosen = messages.slice(0, Math.max(0, last)).flatMap(longSeeds);
  return {
    messages:
      chosen.length === 0 ? messages : messages.map((message, at) => (at < last ? withoutSeeds(message) : message)),
    folded: chosen.map(({ id }) => id),
    lines: chosen.map((call) => withoutSeed(call).arguments),
  };
}

type Call = AssistantMessage["calls"][number];

/** A call that was cut off goes back to the provider as an empty object anyway. */
function isSeed(call: Call): boolean {
  return call.name === writeSeed.definition.name && argumentsOf(call).kind === "object";
}

function isLongSeed(call: Call): boolean {
  return call.arguments.length > longestLine && isSeed(call);
}

function longSeeds(message: Message): readonly Call[] {
  return message.role === "assistant" ? message.calls.filter(isLongSeed) : [];
}

function withoutSeeds(message: Message): Message {
  if (message.role !== "assistant" || !message.calls.some(isLongSeed)) return message;
  return { ...message, calls: message.calls.map((call) => (isLongSeed(call) ? withoutSeed(call) : call)) };
}

function withoutSeed(call: Call): Call {
  const dropped = say("folded-seed", { chars: String(call.arguments.length) });
  return { ...call, arguments: JSON.stringify({ dropped }) };
}
