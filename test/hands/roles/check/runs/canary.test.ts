import { expect, test } from "vitest";
import type { TestResult } from "../../../../../runner/hands/ports/checks/pytest.js";
import { hasFailed, newCanary } from "../../../../../runner/hands/roles/check/runs/canary.js";

const canary = newCanary("tests/test_t001_it.py");
type Outcome = TestResult["outcome"];

test.each<readonly [boolean, Readonly<Record<string, Outcome>>]>([
  [true, { "": "failed" }],
  [true, { "[one]": "failed", "[two]": "failed" }],
  [true, { "[one]": "failed", "[two]": "skipped" }],
  [false, { "[one]": "failed", "[two]": "passed" }],
  [false, { "[one]": "skipped" }],
  [false, { "[one]": "failed", "": "xfailed" }],
  [false, { "": "error" }],
  [false, { _more: "failed" }],
  [false, {}],
])("a canary is dead: %s, with the outcomes %o", (dead, outcomes) => {
  const results = Object.entries(outcomes).map(([end, outcome]) => ({ id: `${canary.id}${end}`, outcome }));
  expect(hasFailed(canary, [{ id: "tests/test_t001_it.py::test_it", outcome: "passed" }, ...results])).toBe(dead);
});
