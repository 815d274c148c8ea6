import type { ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { onShelf, priceInCents } from "../../runner/tools/trial-tools.js";

const lampOil = { item: "lamp oil" };
export const bothCalls = [
  ["items_on_shelf", lampOil],
  ["price_of_item", lampOil],
] as const;
export const answer = `There are ${onShelf} on the shelf, and one costs ${priceInCents} cents.`;

/** A model that passes when it is tried out: it looks how far the conversation has come and does as it is asked. */
export function triedOut({ messages }: ScriptedRequest): Turn {
  return messages.some(({ role }) => role === "tool") ? { quiet: answer } : { calls: bothCalls };
}
