import { randomInt } from "node:crypto";
import { awakeMs } from "../../../../base/awake.js";
import { isHeld } from "../../../../checks/rewritten.js";
import { isWildcard } from "../../../../checks/wildcards.js";
import type { CounterReport, CounterRequest } from "../../../ports/checks/counter.js";
import type { Agreement, PytestReport } from "../../../ports/checks/pytest.js";
import { HandsLost } from "../../../ports/hands.js";
import type { WarmCheck } from "../containers/pool.js";
import { rewrittenFiles } from "../runs/same.js";
import { type AskingMode, type Pair, runPytest, type Variant } from "../runs/test-run.js";
import { Suspicions } from "./suspicions.js";
import { aloneFirst, asReached, inRounds, sitesOf, type Trial, trialOf, withAsking } from "./variants.js";

export interface CounterPlace {
  /** a container to go on in: the same one each time, or a new one after a loss */
  container(): Promise<WarmCheck>;
  lost(): Promise<void>;
  /** called for a container that ended in a sleep: the run is repeated, however often that happens */
  lostAsleep(loss: HandsLost): void;
  /** puts the tree into it, with nothing left of earlier runs */
  fresh(check: WarmCheck): Promise<void>;
  /** duration of the run with nothing made false; null when unknown */
  readonly realMs: number | null;
}

const attempts = 2;
const looksAgain = 4;
const mostSaid = 10;
const askedFor = "the task asks for a value that agrees with everything";
const runEnds = {
  noTime: "no time was left",
  late: "the run did not end in time",
  silent: "the run ended without a report",
  lost: "the container was lost",
} as const;
/** The time a failing run may take, compared with the real one: pytest explains failures at length. */
const longest = (realMs: number) => 4 * realMs + 10_000;

/** Makes every assertion false in every test that reached it, until the time is spent. */
export async function counterCheck(
  request: CounterRequest,
  place: CounterPlace,
  signal: AbortSignal,
): Promise<CounterReport> {
  const count = new Count(request, place, signal);
  const { alone, rest } = aloneFirst(request);
  const trials = withAsking([...alone, ...inRounds(rest)], asReached(request));
  const again = randomInt(trials.length + 1);
  for (const trial of trials.slice(0, again)) await count.try(trial);
  const passed = trials.length === 0 ? "together" : await count.passesAgain();
  if (passed === "never") return count.report();
  for (const trial of trials.slice(passed === "together" ? again : 0)) await count.try(trial);
  // another false assertion kept these from being reached
  for (const pair of count.unseen(rest)) await count.run([pair]);
  await count.makeSure();
  return count.report();
}

/** The findings so far. */
class Count {
  readonly #started = awakeMs();
  readonly #reached = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #caught = new Map<string, Set<string>>();
  readonly #why = new Map<string, string>();
  readonly #suspicions = new Suspicions();
  #isAnswered = true;
  #apart = false;
  #failedAgain: string | null = null;

  constructor(
    private readonly request: CounterRequest,
    private readonly place: CounterPlace,
    private readonly signal: AbortSignal,
  ) {}

  async try({ falsify, mode }: Trial): Promise<void> {
    await (mode === null ? this.run(falsify) : this.#ask(mode, falsify));
  }

  /** If one such run brings no report, none of the others would. */
  async #ask(mode: AskingMode, falsify: Variant): Promise<void> {
    if (!this.#isAnswered) return;
    const ended = await this.#tried(falsify, mode);
    if (typeof ended === "string") this.#isAnswered = false;
    else this.#suspicions.add(mode, { ...ended, betrayals: ended.betrayals.filter((each) => !this.#isAskedFor(each)) });
  }

  async makeSure(): Promise<void> {
    const pairs = asReached(this.request);
    for (let look = 0; look < looksAgain; look += 1)
      for (const mode of this.#suspicions.unsure()) await this.try(trialOf(mode, pairs));
  }

  async run(variant: Variant): Promise<void> {
    const ended = await this.#tried(variant);
    for (const pair of variant) {
      const problem = typeof ended === "string" ? ended : this.#judge(pair, ended);
      if (problem !== null && !this.#why.has(pair.site)) this.#why.set(pair.site, problem);
    }
  }

  /**
   * Repeats the real run among the false ones. Tests that pass only in a new container may recognise the real run by
   * that, or may honestly leave something behind: from then on each run gets a container of its own. Tests that do not
   * pass there either passed only once.
   */
  async passesAgain(): Promise<"together" | "apart" | "never"> {
    const first = await this.#again();
    if (first === null || first === runEnds.noTime) return "together";
    // a lost container was replaced, so that run had a new one to itself
    const isAlone = first === runEnds.lost;
    if (!isAlone && (await this.#again()) === null) return "together";
    this.#apart = true;
    this.#failedAgain = isAlone ? first : (await this.#again(true)) && (await this.#again(true));
    return this.#failedAgain === null ? "apart" : "never";
  }

  /** Says why tests that had passed did not pass again, or returns null. A run that decides may exceed the budget. */
  async #again(decides = false): Promise<string | null> {
    const ended = await this.#tried([], "told", decides);
    if (typeof ended === "string") return ended;
    const bad = ["failed", "error"];
    this.#suspicions.add("told", ended);
    const ran = new Set(ended.results.flatMap(({ id, outcome }) => (bad.includes(outcome) ? [] : id)));
    const missed = Object.keys(this.request.reached).filter((test) => test !== "" && !ran.has(test));
    const said = missed.map((test) => `${test}: ${ended.results.find(({ id }) => id === test)?.text ?? "did not run"}`);
    return said.length > 0 ? said.slice(0, mostSaid).join("\n") : await this.#rewritten();
  }

  async #rewritten(): Promise<string | null> {
    const { tree } = this.request;
    const check = await this.place.container();
    const files = await rewrittenFiles(check, { tree, last: tree, by: "pytest", signal: this.signal });
    const held = files.filter(isHeld).map(({ path }) => path);
    return held.length > 0 ? `the run changed ${held.slice(0, mostSaid).join(", ")}` : null;
  }

  unseen(pairs: readonly Pair[]): readonly Pair[] {
    return pairs.filter((pair) => !this.#seen.has(keyOf(pair)));
  }

  report(): CounterReport {
    const unknown = this.#failedAgain === null ? "not reached" : "the tests did not pass again";
    const unjudged = this.request.sites.filter((site) => !this.#reached.has(site));
    return {
      reached: [...this.#reached],
      caught: [
        ...[...this.#caught].map(([site, tests]) => ({ site, tests: [...tests], why: null })),
        ...this.#suspicions.caught(),
      ],
      leftOut: unjudged.map((site) => ({ site, why: this.#why.get(site) ?? unknown })),
      failedAgain: this.#failedAgain,
      ms: Math.round(awakeMs() - this.#started),
    };
  }

  /** Says why the pair could not be judged, or returns null. */
  #judge(pair: Pair, { reached, results, agreed }: PytestReport): string | null {
    const { test, site } = pair;
    if (!reached[test]?.includes(site)) return "not reached";
    this.#seen.add(keyOf(pair));
    if (agreed.some((each) => each.site === site && each.test === test && this.#isAskedFor(each))) return askedFor;
    this.#reached.add(site);
    const file = site.replace(/:\d+:\d+$/, "");
    const depends = (id: string) => (test === "" ? id.startsWith(`${file}::`) : id === test);
    const passed = results.filter(({ id, outcome }) => outcome === "passed" && depends(id)).map(({ id }) => id);
    if (passed.length > 0) this.#caught.set(site, new Set([...(this.#caught.get(site) ?? []), ...passed]));
    return null;
  }

  /** A run that ended without its own report has passed nothing, and shows nothing. */
  async #tried(variant: Variant, mode?: AskingMode, decides = false): Promise<PytestReport | string> {
    const left = this.request.budgetMs - (awakeMs() - this.#started);
    if (left <= 0 && !decides) return runEnds.noTime;
    const { staged } = this.request;
    const most = longest(this.place.realMs ?? this.request.budgetMs);
    const enough = decides ? most : Math.min(left, most);
    const run = {
      files: staged.map(({ path }) => path),
      expected: [],
      staged,
      falsify: variant,
      ...(mode && { mode }),
      timeoutMs: enough,
      signal: this.signal,
    };
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      try {
        if (this.#apart) await this.place.lost();
        const check = await this.place.container();
        await this.place.fresh(check);
        const { report } = await runPytest(check.zygote, run);
        if (report.betrayed && mode === undefined) this.#betrayed(variant);
        if (report.timedOut) return enough === left ? runEnds.noTime : runEnds.late;
        return report.nonceSeen ? report : runEnds.silent;
      } catch (error) {
        if (!(error instanceof HandsLost)) throw error;
        await this.place.lost();
        if (error.asleep) {
          this.place.lostAsleep(error);
          attempt -= 1;
        }
      }
    }
    return runEnds.lost;
  }

  #isAskedFor({ by }: Agreement): boolean {
    return by.some((name) => isWildcard(name, this.request.taskTexts ?? []));
  }

  /** If several assertions were false in this run, each of them is still to be run alone. */
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
