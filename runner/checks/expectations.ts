import type { ExpectedTest as Expected, TestResult } from "../hands/hands.js";

interface Met {
  /** ids that had to turn up and did not, or not often enough */
  readonly missing: readonly string[];
  /** expected tests that ran without saying yes or no */
  readonly undecided: readonly TestResult[];
}

/**
 * Holds results against what the staged files ask for. Fixtures of a conftest may put parameters on a test that its own
 * file does not show; then as many ids as were asked for have to begin alike.
 */
export function compare(expected: readonly Expected[], results: readonly TestResult[]): Met {
  const byId = new Map(results.map((result) => [result.id, result]));
  const missing: string[] = [];
  const undecided = new Set<TestResult>();
  for (const [base, wanted] of byBase(expected)) {
    const exact = wanted.every(({ id, many }) => !many && byId.has(id));
    const found = exact ? wanted.flatMap(({ id }) => byId.get(id) ?? []) : results.filter(({ id }) => isOf(base, id));
    if (found.length < leastOf(wanted)) missing.push(...absentOf(wanted, byId));
    for (const result of found) if (isUndecided(result)) undecided.add(result);
  }
  return { missing, undecided: [...undecided] };
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

function baseOf(id: string): string {
  const bracket = id.indexOf("[");
  return bracket < 0 ? id : id.slice(0, bracket);
}

/** The test itself, one of its parameter sets, or a test of the class or file that it names. */
function isOf(base: string, id: string): boolean {
  return id === base || id.startsWith(`${base}[`) || id.startsWith(`${base}::`);
}

function isUndecided({ outcome }: TestResult): boolean {
  return outcome === "skipped" || outcome === "xfailed" || outcome === "xpassed";
}
