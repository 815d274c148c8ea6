import type { Usage } from "../../runner/session/summary/usage.js";

type Parts = Pick<Usage, "cached_tokens" | "cache_write_tokens" | "reasoning_tokens">;

/**
 * Says how many tokens were cached, written to a cache or spent on reasoning; empty if none were. The page uses it too.
 */
export function tokenParts(usage: Parts, said: (count: number) => string = String): string {
  const parts: readonly (readonly [count: number, what: string])[] = [
    [usage.cached_tokens, "cached"],
    [usage.cache_write_tokens, "written to the cache"],
    [usage.reasoning_tokens, "reasoning"],
  ];
  return parts.flatMap(([count, what]) => (count > 0 ? [`${said(count)} ${what}`] : [])).join(", ");
}
