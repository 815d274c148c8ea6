import type { RedReport } from "../hands/ports/checks/checks.js";
import type { PytestReport, TestResult } from "../hands/ports/checks/pytest.js";
import type { StagedFacts, StagedFunction } from "../hands/ports/checks/staged.js";
import { baseOf, functionOf, isUndecided, staysOut } from "./expectations.js";

/** The result of one staged file on a tree that need not satisfy it yet. */
export interface RedFile {
  readonly path: string;
  /** for the event red_check: for each id the reason for its end, or for its absence */
  readonly tests: Readonly<Record<string, string>>;
  /** ids that passed or failed: they must turn up again on any later tree */
  readonly ranIds: readonly string[];
  /** files below tests/ that were read meanwhile */
  readonly opened: readonly string[];
  /** functions with an id that failed */
  readonly red: readonly string[];
  /** functions that passed and do not say keep-green */
  readonly green: readonly string[];
  /** every function passed, except those that the file itself leaves out */
  readonly allGreen: boolean;
  readonly functions: readonly TriedFunction[];
}

export interface TriedFunction {
  readonly facts: StagedFunction;
  readonly results: readonly TestResult[];
  /** `left_out` means skipped, or expected to fail; `absent` means that there is no result */
  readonly end: "red" | "green" | "left_out" | "absent";
}

/** Returns one for each file of `run`, in that order; a file that was not reached has only absent functions. */
export function redOf({ facts, runs }: RedReport): readonly RedFile[] {
  return runs.map(({ path, pytest }) => {
    const own = facts.find((one) => one.path === path);
    return redFile(own ?? { path, problem: "", tests: [], assertions: [] }, pytest);
  });
}

function redFile(facts: StagedFacts, run: PytestReport): RedFile {
  const functions = tried(facts, run.results);
  const counted = functions.filter((tried) => !isLeftOut(tried));
  const named = (wanted: readonly TriedFunction[]) => wanted.map(({ facts: { id } }) => id);
  return {
    path: facts.path,
    tests: reasons(facts, functions, run),
    ranIds: run.results.filter((result) => !isUndecided(result)).map(({ id }) => id),
    opened: run.opened,
    red: named(functions.filter(({ end }) => end === "red")),
    green: named(functions.filter(({ end, facts: { keepGreen } }) => end === "green" && keepGreen === null)),
    allGreen: counted.length > 0 && counted.every(({ end }) => end === "green"),
    functions,
  };
}

/** Returns the functions that the file shows, and those that only running it showed. */
function tried({ tests }: StagedFacts, results: readonly TestResult[]): readonly TriedFunction[] {
  const hidden = [...new Set(results.filter(({ id }) => !functionOf(tests, id)).map(({ id }) => baseOf(id)))];
  const unknown = { keepGreen: null, alwaysLeftOut: false, asserts: true, criteria: [] };
  const all = [...tests, ...hidden.map((id): StagedFunction => ({ id, ...unknown }))];
  return all.map((facts) => {
    const own = results.filter(({ id }) => functionOf(all, id) === facts);
    return { facts, results: own, end: endOf(facts, own) };
  });
}

function endOf(facts: StagedFunction, results: readonly TestResult[]): TriedFunction["end"] {
  if (results.length === 0) return "absent";
  if (results.some(({ outcome }) => outcome === "failed" || outcome === "error")) return "red";
  // a test that is expected to fail but passes is green, unless its mark accepts both
  const passed = results.some(
    ({ outcome, id }) => outcome === "passed" || (outcome === "xpassed" && !staysOut(facts, id)),
  );
  return passed ? "green" : "left_out";
}

/** Tells whether its own file leaves the test out, whatever the project is. */
export function isLeftOut({ facts, results, end }: TriedFunction): boolean {
  return end === "left_out" && results.every(({ id }) => staysOut(facts, id));
}

function reasons({ path }: StagedFacts, functions: readonly TriedFunction[], run: PytestReport) {
  const pairs = functions.flatMap(({ facts, results }): [string, string][] => {
    if (results.length === 0) return [[facts.id, whyAbsent(run)]];
    return results.map((result) => [result.id, reasonOf(result, facts)]);
  });
  return Object.fromEntries(pairs.length > 0 ? pairs : [[path, whyAbsent(run)]]);
}

const ofCollection: Readonly<Record<string, string>> = {
  syntax_error: "syntax",
  usage_error: "usage",
  refused_by_pytest: "usage",
  import_error: "import",
  missing_module: "import",
  hidden_module: "import",
};

function whyAbsent({ timedOut, died, collectErrors: [error], exit }: PytestReport): string {
  if (timedOut) return "timeout";
  if (died) return "died";
  if (error) return ofCollection[error.reason] ?? "collection";
  return exit === 4 ? "usage" : "not_run";
}

function reasonOf({ id, outcome, text }: TestResult, facts: StagedFunction): string {
  const raised = lastRaised(text);
  if (outcome === "failed" || outcome === "error") {
    if (/^(ModuleNotFound|Import)Error\b/.test(raised)) return "import";
    if (outcome === "error") return "setup";
    return /^(assert\b|AssertionError\b|Failed\b)/.test(raised) ? "assertion" : "error";
  }
  return outcome !== "passed" && staysOut(facts, id) ? "left_out" : outcome;
}

/** Finds the first line of the last block of `E` lines in a pytest traceback. */
function lastRaised(text: string): string {
  const lines = text.split("\n");
  const end = lines.findLastIndex((line) => line.startsWith("E "));
  const before = lines.slice(0, end + 1).findLastIndex((line) => !line.startsWith("E "));
  return lines[before + 1]?.replace(/^E\s+/, "") ?? "";
}
