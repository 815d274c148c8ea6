import type { CounterRequest } from "./checks-port.js";

/** One assertion in one test that reaches it; the test is "" for what is reached while none runs. */
export interface Pair {
  readonly test: string;
  readonly site: string;
}

/** What is false in one run: at most one assertion for each test. */
export type Variant = readonly Pair[];

/** Those of the current task that no other failure comes before: a cheat may mend its ways once it has seen one. */
const mostAlone = 3;

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
  const byTest = new Map<string, Pair[]>();
  for (const pair of pairs) byTest.set(pair.test, [...(byTest.get(pair.test) ?? []), pair]);
  const rounds = Math.max(0, ...[...byTest.values()].map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => [...byTest.values()].flatMap((all) => all[round] ?? []));
}
