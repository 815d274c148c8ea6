import type { Usage } from "../runner/session/usage.js";

/** What tokens were other than new ones and plain replies; empty where none were. */
export function tokenParts(usage: Usage, said: (count: number) => string = String): string {
  const parts: readonly (readonly [count: number, what: string])[] = [
    [usage.cached_tokens, "cached"],
    [usage.cache_write_tokens, "written to the cache"],
    [usage.reasoning_tokens, "reasoning"],
  ];
  return parts.flatMap(([count, what]) => (count > 0 ? [`${said(count)} ${what}`] : [])).join(", ");
}
