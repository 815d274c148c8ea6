import { resetMs, type Times } from "./reset.js";

/** The amount of one thing that a provider still gives for a key. */
export interface Allowance {
  /** the limit it belongs to, one of `limitNames` */
  readonly name: string;
  readonly left: number;
  /** the full amount; null when the provider does not tell it */
  readonly most: number | null;
  /** the moment when the full amount is back, in milliseconds of the wall clock */
  readonly untilMs: number;
}

/** The amounts that one request takes. */
export interface TokenNeed {
  readonly promptTokens: number;
  /** tokens of the prompt that no cache is expected to serve */
  readonly newTokens: number;
}

type Part = "limit" | "remaining" | "reset";

interface Kind {
  readonly header: (part: Part) => string;
  readonly needed: (need: TokenNeed) => number;
  /** it comes back bit by bit all the time, and not at once */
  readonly refills: boolean;
  readonly isOf: "requests" | "tokens";
}

const one = () => 1;
const wholePrompt = ({ promptTokens }: TokenNeed) => promptTokens;
const newOfPrompt = ({ newTokens }: TokenNeed) => newTokens;

/** OpenAI's headers, which Groq, LiteLLM and many others have taken over. */
const openai = (what: string): Pick<Kind, "header" | "refills"> => ({
  header: (part) => `x-ratelimit-${part}-${what}`,
  refills: true,
});

/** Anthropic's headers; tokens from its cache do not count. */
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
  // OpenRouter, and others that limit nothing but requests
  "x-ratelimit": { header: (part) => `x-ratelimit-${part}`, needed: one, refills: false, isOf: "requests" },
  ratelimit: { header: (part) => `ratelimit-${part}`, needed: one, refills: false, isOf: "requests" },
};

/** LiteLLM renames the headers of the provider behind it; its own limits and the provider's both count. */
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
export const limitHeaders: ReadonlySet<string> = new Set(
  [...kinds.values()].flatMap(({ header }) => parts.map(header)),
);

/** A window up to this long is waited for in full: over many requests nothing is lost by it. */
const longestWindowMs = 60_000;

/** Returns all allowances in the headers of an answer; garbage counts as missing. */
export function allowancesIn(headers: Headers, times: Times): readonly Allowance[] {
  // most endpoints tell of no limit at all, and there are many names to look for
  if (![...headers.keys()].some((name) => limitHeaders.has(name))) return [];
  return [...kinds].flatMap(([name, { header }]) => {
    const left = countIn(headers.get(header("remaining")));
    if (left === null) return [];
    const untilMs = resetMs(headers.get(header("reset")) ?? "", times);
    if (untilMs === null) return [];
    return [{ name, left, most: countIn(headers.get(header("limit"))), untilMs }];
  });
}

/** Returns at most the full amount: a longer prompt gets its chance when all of it is there. */
export function neededOf({ name, most }: Allowance, need: TokenNeed): number {
  return Math.min(kinds.get(name)?.needed(need) ?? 0, most ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the moment when there is enough for `need`, or null when there is enough now. Providers that refill all the
 * time tell when the full amount is back. For a limit per day that is tomorrow, although the next request may be due in
 * seconds, so in a long window only the missing share is waited for.
 */
export function readyMs(allowance: Allowance, need: TokenNeed, atMs: number): number | null {
  const { name, left, most, untilMs } = allowance;
  const missing = neededOf(allowance, need) - left;
  if (missing <= 0) return null;
  const windowMs = untilMs - atMs;
  if (windowMs <= longestWindowMs || most === null || most <= left || !kinds.get(name)?.refills) return untilMs;
  return atMs + Math.max(longestWindowMs, windowMs * (missing / (most - left)));
}

/** Tells whether one such request can use up the full amount, so that little may be left right after a refill. */
export function isUsedUpByOne({ name, most }: Allowance, need: TokenNeed): boolean {
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
