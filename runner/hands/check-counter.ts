import { randomInt } from "node:crypto";
import type { WarmCheck } from "./check-pool.js";
import { runPytest } from "./check-run.js";
import type { CounterReport, CounterRequest, PytestReport } from "./checks-port.js";
import { HandsLost } from "./hands.js";
import { aloneFirst, inRounds, type Pair, sitesOf, type Variant } from "./variants.js";

export interface CounterPlace {
  /** a container for what is left to do: the one given before, a new one after it was lost */
  container(): Promise<WarmCheck>;
  lost(): Promise<void>;
  /** puts the tree into it, with nothing left of what ran before */
  fresh(check: WarmCheck): Promise<void>;
  /** how long the run took that made nothing false; null where that is not known */
  readonly realMs: number | null;
}

const attempts = 2;
const runEnds = {
  noTime: "no time was left",
  late: "the run did not end in time",
  silent: "the run ended without a report",
  lost: "the container was lost",
} as const;
/** How much longer than the real run one may take that fails: failures are explained at length. */
const longest = (realMs: number) => 4 * realMs + 10_000;

/** Every assertion is made false in every test that reached it, until the time is spent. */
export async function counterCheck(
  request: CounterRequest,
  place: CounterPlace,
  signal: AbortSignal,
): Promise<CounterReport> {
  const count = new Count(request, place, signal);
  const { alone, rest } = aloneFirst(request);
  const variants = [...alone, ...inRounds(rest)];
  const again = randomInt(variants.length + 1);
  for (const variant of variants.slice(0, again)) await count.run(variant);
  const steady = variants.length === 0 || (await count.passesAgain());
  for (const variant of variants.slice(steady ? again : 0)) await count.run(variant);
  // what another false assertion kept from being reached
  for (const pair of count.unseen(rest)) await count.run([pair]);
  return count.report();
}

/** What has been found so far. */
class Count {
  readonly #started = performance.now();
  readonly #reached = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #caught = new Map<string, Set<string>>();
  readonly #why = new Map<string, string>();
  #apart = false;

  constructor(
    private readonly request: CounterRequest,
    private readonly place: CounterPlace,
    private readonly signal: AbortSignal,
  ) {}

  async run(variant: Variant): Promise<void> {
    const ended = await this.#tried(variant);
    for (const pair of variant) {
      const problem = typeof ended === "string" ? ended : this.#judge(pair, ended);
      if (problem !== null && !this.#why.has(pair.site)) this.#why.set(pair.site, problem);
    }
  }

  /**
   * With nothing false, among the others. What passed only while it was the first in its container may know that run by
   * it, or may honestly leave something behind: from there on each run is the first in one of its own.
   */
  async passesAgain(): Promise<boolean> {
    this.#apart = !(await this.#isSteady()) && !(await this.#isSteady());
    return !this.#apart;
  }

  async #isSteady(): Promise<boolean> {
    const ended = await this.#tried([]);
    if (typeof ended === "string") return ended === runEnds.noTime || ended === runEnds.lost;
    const bad = ["failed", "error"];
    const ran = new Set(ended.results.flatMap(({ id, outcome }) => (bad.includes(outcome) ? [] : id)));
    return Object.keys(this.request.reached).every((test) => test === "" || ran.has(test));
  }

  unseen(pairs: readonly Pair[]): readonly Pair[] {
    return pairs.filter((pair) => !this.#seen.has(keyOf(pair)));
  }

  report(): CounterReport {
    const unjudged = this.request.sites.filter((site) => !this.#reached.has(site));
    return {
      reached: [...this.#reached],
      caught: [...this.#caught].map(([site, tests]) => ({ site, tests: [...tests] })),
      leftOut: unjudged.map((site) => ({ site, why: this.#why.get(site) ?? "not reached" })),
      failedAgain: null,
      ms: Math.round(performance.now() - this.#started),
    };
  }

  /** Why the pair could not be judged, null when it was. */
  #judge(pair: Pair, { reached, results }: PytestReport): string | null {
    const { test, site } = pair;
    if (!reached[test]?.includes(site)) return "not reached";
    this.#seen.add(keyOf(pair));
    this.#reached.add(site);
    const file = site.replace(/:\d+:\d+$/, "");
    const depends = (id: string) => (test === "" ? id.startsWith(`${file}::`) : id === test);
    const passed = results.filter(({ id, outcome }) => outcome === "passed" && depends(id)).map(({ id }) => id);
    if (passed.length > 0) this.#caught.set(site, new Set([...(this.#caught.get(site) ?? []), ...passed]));
    return null;
  }

  /** A run that ended in any other way than with its own report has passed nothing, and shows nothing. */
  async #tried(variant: Variant): Promise<PytestReport | string> {
    const left = this.request.budgetMs - (performance.now() - this.#started);
    if (left <= 0) return runEnds.noTime;
    const { staged } = this.request;
    const { realMs } = this.place;
    const enough = realMs === null ? left : Math.min(left, longest(realMs));
    const run = {
      files: staged.map(({ path }) => path),
      expected: [],
      staged,
      falsify: variant,
      timeoutMs: enough,
      signal: this.signal,
    };
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      try {
        if (this.#apart) await this.place.lost();
        const check = await this.place.container();
        await this.place.fresh(check);
        const { report } = await runPytest(check.zygote, run);
        if (report.betrayed) this.#betrayed(variant);
        if (report.timedOut) return enough === left ? runEnds.noTime : runEnds.late;
        return report.nonceSeen ? report : runEnds.silent;
      } catch (error) {
        if (!(error instanceof HandsLost)) throw error;
        await this.place.lost();
      }
    }
    return runEnds.lost;
  }

  /** Where more than one assertion was false, each of them is still to be run alone. */
  #betrayed(variant: Variant): void {
    const sites = sitesOf(variant);
    if (sites.length !== 1) return;
    for (const { site, test } of variant) {
      this.#reached.add(site);
      this.#caught.set(site, new Set([...(this.#caught.get(site) ?? []), test]));
    }
  }
}

function keyOf({ test, site }: Pair): string {
  return `${site} ${test}`;
}
