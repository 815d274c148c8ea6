import type { ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { onShelf, priceInCents } from "../../runner/tools/trial-tools.js";

const lampOil = { item: "lamp oil" };
export const bothCalls = [
  ["items_on_shelf", lampOil],
  ["price_of_item", lampOil],
] as const;
export const answer = `There are ${onShelf} on the shelf, and one costs ${priceInCents} cents.`;

/** A model that does as it is asked to when it is tried out: by how far the conversation has come. */
export function triedOut({ messages }: ScriptedRequest): Turn {
  return messages.some(({ role }) => role === "tool") ? { quiet: answer } : { calls: bothCalls };
}
