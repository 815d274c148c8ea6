import type { StagedTest } from "../hands/checks-port.js";
import type { Change } from "../hands/clerk-port.js";

const testFile = /(^|\/)(test_[^/]*|[^/]*_test)\.py$/;

/** Test files that a change adds or alters, staged ones aside: they run too, and prove nothing alone. */
export function addedTests(changes: readonly Change[], allStaged: readonly StagedTest[]): readonly string[] {
  const staged = new Set(allStaged.map(({ path }) => path));
  return changes
    .filter(({ status, mode }) => status !== "deleted" && mode.startsWith("100"))
    .map(({ path }) => path)
    .filter((path) => testFile.test(path) && !staged.has(path));
}
