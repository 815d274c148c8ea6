import type { Payload } from "../log/events.js";
import type { Summary } from "./summary-schema.js";

/** The sums over some calls. */
export type Usage = Summary["usage"];

/** The part of a `model_call` that is added up. */
export type CallUse = Pick<
  Payload<"model_call">,
  | "prompt_tokens"
  | "cached_tokens"
  | "cache_write_tokens"
  | "eval_tokens"
  | "reasoning_tokens"
  | "estimated"
  | "cost"
  | "cost_from"
  | "ms"
>;

/** Adds a call to a sum. Every sum of usage is made here, the page's included, so that no two can differ. */
export function addUsage(usage: Usage, call: CallUse): void {
  usage.calls += 1;
  usage.prompt_tokens += call.prompt_tokens;
  usage.cached_tokens += call.cached_tokens;
  usage.cache_write_tokens += call.cache_write_tokens;
  usage.eval_tokens += call.eval_tokens;
  usage.reasoning_tokens += call.reasoning_tokens;
  usage.total_tokens += call.prompt_tokens + call.eval_tokens;
  usage.estimated_calls += call.estimated ? 1 : 0;
  if (call.cost !== null) usage.cost = (usage.cost ?? 0) + call.cost;
  usage.priced_calls += call.cost_from === "prices" ? 1 : 0;
  usage.ms += call.ms;
}

export function noUsage(): Usage {
  return {
    calls: 0,
    prompt_tokens: 0,
    cached_tokens: 0,
    cache_write_tokens: 0,
    eval_tokens: 0,
    reasoning_tokens: 0,
    total_tokens: 0,
    estimated_calls: 0,
    cost: null,
    priced_calls: 0,
    ms: 0,
  };
}

/** With most providers a cached token costs about a tenth of a new one. */
const cachedPerToken = 10;

/**
 * Counts tokens as TILTH_MAX_TOKENS does: new ones in full, cached ones at a tenth. Only the sum is rounded up, never a
 * single call, or many small calls would add up to more than they are.
 */
export function countedTokens({ total_tokens, cached_tokens }: Pick<Usage, "total_tokens" | "cached_tokens">): number {
  return total_tokens - cached_tokens + Math.ceil(cached_tokens / cachedPerToken);
}
