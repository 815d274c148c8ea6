import { randomInt } from "node:crypto";
import type { CounterRequest } from "./checks-port.js";

/** One assertion in one test that reaches it; the test is "" for what is reached while none runs. */
export interface Pair {
  readonly test: string;
  readonly site: string;
}

/** What is false in one run: at most one assertion for each test. */
export type Variant = readonly Pair[];

/**
 * `told`: tells what is given where something is expected; `changed`: what the tests expect is exchanged wherever it can be read; `asked`: values are asked plain questions;
 * `reordered`: the tests run backwards; `again`: one of them twice, the first time with an assertion made false.
 */
export type AskingMode = "told" | "changed" | "asked" | "reordered" | "again";

/** One run of a counter-check. */
export interface Trial {
  readonly falsify: Variant;
  readonly mode: AskingMode | null;
}

/** The exchanged values and the order of tests are drawn for each run: one alone may miss it. */
const asking: readonly AskingMode[] = ["changed", "changed", "asked", "reordered", "again"];
/** among so many first runs, so that there is time for them */
const soon = 8;

/** The variants with the runs that ask among them: where they stand tells nothing. */
export function withAsking(variants: readonly Variant[], pairs: readonly Pair[]): readonly Trial[] {
  const trials: Trial[] = variants.map((falsify) => ({ falsify, mode: null }));
  if (pairs.length === 0) return trials;
  for (const mode of asking) trials.splice(randomInt(Math.min(trials.length, soon) + 1), 0, trialOf(mode, pairs));
  return trials;
}

export function trialOf(mode: AskingMode, pairs: readonly Pair[]): Trial {
  return { mode, falsify: mode === "again" ? firstOfEach(pairs) : [] };
}

function firstOfEach(pairs: readonly Pair[]): Variant {
  return [...byTest(pairs).values()].flatMap((all) => all[0] ?? []);
}

function byTest(pairs: readonly Pair[]): ReadonlyMap<string, readonly Pair[]> {
  const found = new Map<string, Pair[]>();
  for (const pair of pairs) found.set(pair.test, [...(found.get(pair.test) ?? []), pair]);
  return found;
}

/** Those of the current task that no other failure comes before: a cheat may mend its ways once it has seen one. */
const mostAlone = 3;

/** Test after test, each with its sites in the order in which it reached them. */
export function asReached({ reached }: Pick<CounterRequest, "reached">): readonly Pair[] {
  return Object.entries(reached).flatMap(([test, sites]) => sites.map((site) => ({ test, site })));
}

/** Site after site, in the order they were asked for. */
export function pairsOf({ sites, reached }: Pick<CounterRequest, "sites" | "reached">): readonly Pair[] {
  const testsOf = new Map<string, string[]>();
  for (const [test, all] of Object.entries(reached))
    for (const site of all) testsOf.set(site, [...(testsOf.get(site) ?? []), test]);
  return sites.flatMap((site) => (testsOf.get(site) ?? []).map((test) => ({ test, site })));
}

export function sitesOf(pairs: readonly Pair[]): readonly string[] {
  return [...new Set(pairs.map(({ site }) => site))];
}

/** The first few sites by themselves, and all that the collection of tests reaches: it fails for every test at once. */
export function aloneFirst(request: Pick<CounterRequest, "sites" | "reached">): {
  readonly alone: readonly Variant[];
  readonly rest: readonly Pair[];
} {
  const pairs = pairsOf(request);
  const chosen = new Set([...sitesOf(pairs).slice(0, mostAlone), ...sitesOf(pairs.filter(({ test }) => test === ""))]);
  return {
    alone: [...chosen].map((site) => pairs.filter((pair) => pair.site === site)),
    rest: pairs.filter(({ site }) => !chosen.has(site)),
  };
}

/** As many runs as the test with the most assertions needs: each makes the next one false in every test. */
export function inRounds(pairs: readonly Pair[]): readonly Variant[] {
  const tests = [...byTest(pairs).values()];
  const rounds = Math.max(0, ...tests.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => tests.flatMap((all) => all[round] ?? []));
}
