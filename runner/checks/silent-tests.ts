import type { PytestReport, StagedFacts } from "../hands/ports/checks.js";
import { baseOf } from "./expectations.js";

interface Silent {
  /** an honest run could not pass without reaching one of their assertions */
  readonly impossible: readonly string[];
  /** all their assertions stand under conditions, and this run met none of them */
  readonly possible: readonly string[];
}

/**
 * Finds tests that passed and reached none of their assertions, with any of their parameters. For a test with
 * assertions only in helpers, one of those is enough.
 */
export function silentTests({ reached, results }: PytestReport, facts: readonly StagedFacts[]): Silent {
  const passed = new Set(results.filter(({ outcome }) => outcome === "passed").map(({ id }) => baseOf(id)));
  const impossible: string[] = [];
  const possible: string[] = [];
  for (const { tests, assertions } of facts)
    for (const { id, asserts, surelyAsserts } of tests) {
      if (!asserts || !passed.has(id)) continue;
      const sites = new Set(Object.keys(reached).flatMap((test) => (baseOf(test) === id ? (reached[test] ?? []) : [])));
      const own = assertions.filter(({ test }) => test === id);
      if (own.length > 0 ? own.some((site) => sites.has(site.id)) : sites.size > 0) continue;
      const excused = surelyAsserts === null || (surelyAsserts === "somewhere" && sites.size > 0);
      if (!excused) impossible.push(id);
      else if (own.length > 0 && sites.size === 0) possible.push(id);
    }
  return { impossible, possible };
}
