import type { Caught } from "../../../ports/checks/counter.js";
import type { Betrayal, PytestReport } from "../../../ports/checks/pytest.js";
import type { AskingMode } from "../runs/test-run.js";

type GivenAnswers = PytestReport["given"];

interface Suspicion extends Caught {
  readonly why: Betrayal;
  readonly mode: AskingMode;
  readonly tests: string[];
  runs: number;
}

/**
 * Values that gave themselves away. An honest one may match a drawn value by chance, so only the second time counts.
 */
export class Suspicions {
  readonly #all = new Map<string, Suspicion>();
  readonly #changed: GivenAnswers[] = [];
  #told: GivenAnswers = {};

  add(mode: AskingMode, { betrayals, given }: Pick<PytestReport, "betrayals" | "given">): void {
    if (mode === "told") this.#told = given;
    if (mode === "changed") this.#changed.push(given);
    const seen = new Set<Suspicion>();
    for (const { site, test, why } of betrayals) {
      // an exchanged value may move the column of what follows on its line
      const key = `${why} ${site.replace(/:\d+$/, "")}`;
      const known = this.#all.get(key) ?? { site, why, mode, tests: [], runs: 0 };
      this.#all.set(key, known);
      seen.add(known);
      if (!known.tests.includes(test)) known.tests.push(test);
    }
    for (const known of seen) known.runs += 1;
  }

  /** Returns the modes to run again for things seen once; none as soon as anything was seen twice. */
  unsure(): readonly AskingMode[] {
    if (this.caught().length > 0) return [];
    return [...new Set([...this.#all.values()].map(({ mode }) => mode))];
  }

  caught(): readonly Caught[] {
    const twice = [...this.#all.values()].filter(({ runs }) => runs > 1);
    return [...twice.map(({ site, tests, why }) => ({ site, tests, why })), ...this.#hanging()];
  }

  /** Finds tests that get another value as soon as their expected one is exchanged. */
  #hanging(): readonly Caught[] {
    return Object.entries(this.#told)
      .filter(([key, told]) => this.#changed.filter((given) => differ(told, given[key] ?? [])).length > 1)
      .map(([key]) => {
        const [line = "", test = ""] = key.split("\t");
        return { site: `${line}:0`, tests: [test], why: "hangs_on_tests" };
      });
  }
}

/** Compares as far as both go, because a test may have ended early. */
function differ(told: readonly string[], given: readonly string[]): boolean {
  return told.some((mark, at) => {
    const marks = given[at]?.split(" ");
    return mark !== "" && marks !== undefined && !marks.includes(mark);
  });
}
