import type { CheckRequest } from "../hands/ports/checks/checks.js";
import type { ExpectedTest as Expected, TestResult } from "../hands/ports/checks/pytest.js";
import type { StagedFunction } from "../hands/ports/checks/staged.js";

/** Facts about the staged files beyond the tests that their syntax trees ask for. */
export type StagedKnowledge = Pick<CheckRequest, "facts" | "ranRed" | "taskText"> & {
  readonly since: Pick<CheckRequest["since"], "taskTexts">;
};

interface ExpectationReport {
  /** ids that had to turn up and did not, or not often enough */
  readonly missing: readonly string[];
  /** tests of the expected files that ran and neither passed nor failed */
  readonly undecided: readonly TestResult[];
}

/**
 * Compares results with the tests that the staged files ask for. Fixtures of a conftest may put parameters on a test
 * that its own file does not show; then the right number of ids must begin alike. Tests that ran when the task began
 * must run again. A test that its own file leaves out whatever the project is may stay out, unless it ran then. In an
 * expected file every other test must pass or fail, whether its syntax tree shows it or not.
 */
export function compare(
  expected: readonly Expected[],
  results: readonly TestResult[],
  known: StagedKnowledge,
): ExpectationReport {
  const byId = new Map(results.map((result) => [result.id, result]));
  const ran = new Set(known.ranRed);
  const functions = known.facts.flatMap(({ tests }) => tests);
  const mayStayOut = ({ id }: TestResult) => !ran.has(id) && staysOut(functionOf(functions, id), id);
  const missing = [...ran].filter((id) => !byId.has(id));
  const files = new Set(expected.map(({ id }) => fileOf(id)));
  const undecided = results.filter((one) => files.has(fileOf(one.id)) && isUndecided(one) && !mayStayOut(one));
  for (const [base, wanted] of byBase(expected)) {
    const exact = wanted.every(({ id, many }) => !many && byId.has(id));
    const found = exact ? wanted.flatMap(({ id }) => byId.get(id) ?? []) : results.filter(({ id }) => isOf(base, id));
    if (found.length < leastOf(wanted)) missing.push(...absentOf(wanted, byId));
  }
  return { missing: [...new Set(missing)], undecided };
}

function byBase(expected: readonly Expected[]): ReadonlyMap<string, readonly Expected[]> {
  const groups = new Map<string, Expected[]>();
  for (const one of expected) {
    const base = baseOf(one.id);
    groups.set(base, [...(groups.get(base) ?? []), one]);
  }
  return groups;
}

function leastOf(wanted: readonly Expected[]): number {
  return wanted.reduce((sum, { many, count }) => sum + (many ? (count ?? 1) : 1), 0);
}

function absentOf(wanted: readonly Expected[], byId: ReadonlyMap<string, TestResult>): readonly string[] {
  return wanted.filter(({ id }) => !byId.has(id)).map(({ id }) => id);
}

/** Returns the test function that an id belongs to. */
export function functionOf<T extends Pick<StagedFunction, "id">>(functions: readonly T[], id: string): T | undefined {
  return functions.find((one) => isOf(one.id, id));
}

/** Tells whether its own file leaves the test out whatever the project is. */
export function staysOut(facts: StagedFunction | undefined, id: string): boolean {
  return facts !== undefined && (facts.alwaysLeftOut || facts.leftOutIds?.includes(id) === true);
}

export function baseOf(id: string): string {
  const bracket = id.indexOf("[");
  return bracket < 0 ? id : id.slice(0, bracket);
}

function fileOf(id: string): string {
  return id.split("::", 1)[0] ?? id;
}

/** Matches the test itself, one of its parameter sets, or a test of the class or file that `base` names. */
function isOf(base: string, id: string): boolean {
  return id === base || id.startsWith(`${base}[`) || id.startsWith(`${base}::`);
}

/** The test ran, but neither passed nor failed. */
export function isUndecided({ outcome }: TestResult): boolean {
  return outcome === "skipped" || outcome === "xfailed" || outcome === "xpassed";
}
