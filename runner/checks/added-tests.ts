import { posix } from "node:path";
import type { CheckRequest } from "../hands/ports/checks/checks.js";
import type { StagedTest } from "../hands/ports/checks/staged.js";
import type { Change } from "../hands/ports/clerk.js";

const testFile = /(^|\/)(test_[^/]*|[^/]*_test)\.py$/;

/** Returns the test files that a change adds or alters, without staged ones: they run too, but alone prove nothing. */
export function addedTests(
  changes: readonly Change[],
  allStaged: readonly StagedTest[],
): Pick<CheckRequest, "added" | "changed"> {
  const staged = new Set(allStaged.map(({ path }) => path));
  const tests = changes.filter(({ path }) => testFile.test(path) && !staged.has(path));
  const found = tests.filter(({ status, mode }) => status !== "deleted" && mode.startsWith("100"));
  const names = new Set(found.map(({ path }) => posix.basename(path)));
  const moved = tests.filter(({ status, path }) => status === "deleted" && names.has(posix.basename(path)));
  const modified = found.filter(({ status }) => status === "modified");
  return { added: found.map(({ path }) => path), changed: [...modified, ...moved].map(({ path }) => path) };
}
