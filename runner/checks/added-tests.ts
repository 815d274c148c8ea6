import type { CheckRequest, StagedTest } from "../hands/checks-port.js";
import type { Change } from "../hands/clerk-port.js";

const testFile = /(^|\/)(test_[^/]*|[^/]*_test)\.py$/;

/** Test files that a change adds or alters, staged ones aside: they run too, and prove nothing alone. */
export function addedTests(
  changes: readonly Change[],
  allStaged: readonly StagedTest[],
): Pick<CheckRequest, "added" | "changed"> {
  const staged = new Set(allStaged.map(({ path }) => path));
  const found = changes.filter(
    ({ status, mode, path }) =>
      status !== "deleted" && mode.startsWith("100") && testFile.test(path) && !staged.has(path),
  );
  return {
    added: found.map(({ path }) => path),
    changed: found.filter(({ status }) => status === "modified").map(({ path }) => path),
  };
}
