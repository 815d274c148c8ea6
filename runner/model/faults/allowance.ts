import { resetMs, type Times } from "./reset.js";

/** How much of one thing a provider still gives for a key. */
export interface Allowance {
  /** the limit it belongs to, one of `limitNames` */
  readonly name: string;
  readonly left: number;
  /** the whole of it, where the provider tells */
  readonly most: number | null;
  /** it is whole again then; milliseconds of the wall clock */
  readonly untilMs: number;
}

/** Counts what one request takes. */
export interface Need {
  readonly promptTokens: number;
  /** tokens of the prompt that no cache is expected to serve */
  readonly newTokens: number;
}

type Part = "limit" | "remaining" | "reset";

interface Kind {
  readonly header: (part: Part) => string;
  readonly needed: (need: Need) => number;
  /** it comes back bit by bit all the time, and not at once */
  readonly refills: boolean;
  readonly isOf: "requests" | "tokens";
}

const one = () => 1;
const wholePrompt = ({ promptTokens }: Need) => promptTokens;
const newOfPrompt = ({ newTokens }: Need) => newTokens;

/** OpenAI's, which Groq, LiteLLM and many others have taken over. */
const openai = (what: string): Pick<Kind, "header" | "refills"> => ({
  header: (part) => `x-ratelimit-${part}-${what}`,
  refills: true,
});

/** Anthropic's; what its cache serves does not count. */
const anthropic = (what: string): Pick<Kind, "header" | "refills"> => ({
  header: (part) => `anthropic-ratelimit-${what}-${part}`,
  refills: true,
});

const own: Readonly<Record<string, Kind>> = {
  "x-ratelimit-requests": { ...openai("requests"), needed: one, isOf: "requests" },
  "x-ratelimit-tokens": { ...openai("tokens"), needed: wholePrompt, isOf: "tokens" },
  "anthropic-ratelimit-requests": { ...anthropic("requests"), needed: one, isOf: "requests" },
  "anthropic-ratelimit-tokens": { ...anthropic("tokens"), needed: newOfPrompt, isOf: "tokens" },
  "anthropic-ratelimit-input-tokens": { ...anthropic("input-tokens"), needed: newOfPrompt, isOf: "tokens" },
  "anthropic-ratelimit-output-tokens": { ...anthropic("output-tokens"), needed: one, isOf: "tokens" },
  // OpenRouter, and whoever limits nothing but requests
  "x-ratelimit": { header: (part) => `x-ratelimit-${part}`, needed: one, refills: false, isOf: "requests" },
  ratelimit: { header: (part) => `ratelimit-${part}`, needed: one, refills: false, isOf: "requests" },
};

/** LiteLLM renames what the provider behind it sends; the gateway's own limits and the provider's both count. */
const kinds: ReadonlyMap<string, Kind> = new Map(
  ["", "llm_provider-"].flatMap((prefix) =>
    Object.entries(own).map(([name, kind]): [string, Kind] => [
      `${prefix}${name}`,
      { ...kind, header: (part) => `${prefix}${kind.header(part)}` },
    ]),
  ),
);

const parts = ["limit", "remaining", "reset"] as const;
export const limitNames: ReadonlySet<string> = new Set(kinds.keys());
export const limitHeaders: readonly string[] = [...kinds.values()].flatMap(({ header }) => parts.map(header));

/** A window so long is waited for in full: over many requests nothing is lost by it. */
const longestWindowMs = 60_000;

/** All that the headers of an answer tell; what is garbage counts as missing. */
export function allowancesIn(headers: Headers, times: Times): readonly Allowance[] {
  return [...kinds].flatMap(([name, { header }]) => {
    const left = countIn(headers.get(header("remaining")));
    const untilMs = resetMs(headers.get(header("reset")) ?? "", times);
    if (left === null || untilMs === null) return [];
    return [{ name, left, most: countIn(headers.get(header("limit"))), untilMs }];
  });
}

/** Never more than the whole of it: a longer prompt gets its chance when all of it is there. */
export function neededOf({ name, most }: Allowance, need: Need): number {
  return Math.min(kinds.get(name)?.needed(need) ?? 0, most ?? Number.POSITIVE_INFINITY);
}

/**
 * When there is enough for `need`; null where there is. Providers that refill all the time tell when the whole is back. Of a
 * day's requests that is tomorrow, where the next one may be due in a few seconds: of a long window only the share is waited
 * for that is missing.
 */
export function readyMs(allowance: Allowance, need: Need, atMs: number): number | null {
  const { name, left, most, untilMs } = allowance;
  const missing = neededOf(allowance, need) - left;
  if (missing <= 0) return null;
  const windowMs = untilMs - atMs;
  if (windowMs <= longestWindowMs || most === null || most <= left || !kinds.get(name)?.refills) return untilMs;
  return atMs + Math.max(longestWindowMs, windowMs * (missing / (most - left)));
}

/** Whether so little can be left right after all of it was: one such request uses it up. */
export function isUsedUpByOne({ name, most }: Allowance, need: Need): boolean {
  if (most === null) return false;
  const needed = kinds.get(name)?.needed(need) ?? 0;
  return most < 2 * needed;
}

export function sayLack({ name, left }: Allowance): string {
  const what = kinds.get(name)?.isOf ?? "requests";
  if (left === 0) return `no ${what} are left`;
  return `${Math.floor(left)} ${what} are left, too few for the next one`;
}

function countIn(text: string | null): number | null {
  return text !== null && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(text) ? Number(text) : null;
}
