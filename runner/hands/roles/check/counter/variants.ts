import { randomInt } from "node:crypto";
import type { CounterRequest } from "../../../ports/checks/counter.js";
import type { AskingMode, Pair, Variant } from "../runs/test-run.js";

/** One run of a counter-check. */
export interface Trial {
  readonly falsify: Variant;
  readonly mode: AskingMode | null;
}

/** Exchanged values and the order of tests are drawn for each run, and a single draw may miss a cheat. */
const asking: readonly AskingMode[] = ["changed", "changed", "asked", "reordered", "again"];
/** the room for the names of tests and sites in one run's request; what does not fit gets a run of its own */
const mostNamed = 400_000;
/** they stand among this many first runs, so that there is time for them */
const soon = 8;

/** Mixes the asking runs into the variants at random, so that their place tells nothing. */
export function withAsking(variants: readonly Variant[], pairs: readonly Pair[]): readonly Trial[] {
  const trials: Trial[] = variants.map((falsify) => ({ falsify, mode: null }));
  if (pairs.length === 0) return trials;
  for (const mode of asking) trials.splice(randomInt(Math.min(trials.length, soon) + 1), 0, trialOf(mode, pairs));
  return trials;
}

export function trialOf(mode: AskingMode, pairs: readonly Pair[]): Trial {
  return { mode, falsify: mode === "again" ? (inParts(firstOfEach(pairs))[0] ?? []) : [] };
}

function firstOfEach(pairs: readonly Pair[]): Variant {
  return [...byTest(pairs).values()].flatMap((all) => all[0] ?? []);
}

function byTest(pairs: readonly Pair[]): ReadonlyMap<string, readonly Pair[]> {
  const found = new Map<string, Pair[]>();
  for (const pair of pairs) found.set(pair.test, [...(found.get(pair.test) ?? []), pair]);
  return found;
}

/** Sites of the current task that run alone, with no failure before them: a cheat may behave once it has seen one. */
const mostAlone = 3;

/** Lists test after test, each with its sites in the order in which it reached them. */
export function asReached({ reached }: Pick<CounterRequest, "reached">): readonly Pair[] {
  return Object.entries(reached).flatMap(([test, sites]) => sites.map((site) => ({ test, site })));
}

/** Lists site after site, in the order of the request. */
export function pairsOf({ sites, reached }: Pick<CounterRequest, "sites" | "reached">): readonly Pair[] {
  const testsOf = new Map<string, string[]>();
  for (const [test, all] of Object.entries(reached))
    for (const site of all) testsOf.set(site, [...(testsOf.get(site) ?? []), test]);
  return sites.flatMap((site) => (testsOf.get(site) ?? []).map((test) => ({ test, site })));
}

export function sitesOf(pairs: readonly Pair[]): readonly string[] {
  return [...new Set(pairs.map(({ site }) => site))];
}

/** Singles out the first few sites, and those reached during collection, where a failure fails all tests at once. */
export function aloneFirst(request: Pick<CounterRequest, "sites" | "reached">): {
  readonly alone: readonly Variant[];
  readonly rest: readonly Pair[];
} {
  const pairs = pairsOf(request);
  const chosen = new Set([...sitesOf(pairs).slice(0, mostAlone), ...sitesOf(pairs.filter(({ test }) => test === ""))]);
  return {
    alone: [...chosen].flatMap((site) => inParts(pairs.filter((pair) => pair.site === site))),
    rest: pairs.filter(({ site }) => !chosen.has(site)),
  };
}

/** Makes as many runs as the test with the most assertions needs: each makes the next one false in every test. */
export function inRounds(pairs: readonly Pair[]): readonly Variant[] {
  const tests = [...byTest(pairs).values()];
  const rounds = Math.max(0, ...tests.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => tests.flatMap((all) => all[round] ?? [])).flatMap(inParts);
}

/** Tens of thousands of tests, as sets of parameters make them, do not fit into one request. */
function inParts(variant: Variant): readonly Variant[] {
  const parts: Pair[][] = [];
  let room = 0;
  for (const pair of variant) {
    const named = Buffer.byteLength(JSON.stringify([pair.test, pair.site]));
    if (named > room) {
      parts.push([]);
      room = mostNamed;
    }
    parts.at(-1)?.push(pair);
    room -= named;
  }
  return parts;
}
