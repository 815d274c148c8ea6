import { expect, test } from "vitest";
import type { Betrayal } from "../../../../../runner/hands/ports/checks/pytest.js";
import { Suspicions } from "../../../../../runner/hands/roles/check/counter/suspicions.js";

const found = (site: string, why: Betrayal = "looked_up") => ({
  betrayals: [{ site, test: "t.py::test_it", why, by: [] }],
  given: {},
});
const given = (marks: Readonly<Record<string, readonly string[]>>) => ({ betrayals: [], given: marks });

test("a suspicion that is seen once is looked at again, and counts when it is seen twice on its line", () => {
  const once = new Suspicions();
  once.add("changed", found("t.py:5:4"));
  expect(once.caught()).toEqual([]);
  expect(once.unsure()).toEqual(["changed"]);
  once.add("changed", found("t.py:5:8"));
  expect(once.caught()).toEqual([{ site: "t.py:5:4", tests: ["t.py::test_it"], why: "looked_up" }]);
  expect(once.unsure()).toEqual([]);
});

test("suspicions of two kinds, seen in one run each, do not add up", () => {
  const two = new Suspicions();
  two.add("changed", found("t.py:5:4"));
  two.add("asked", found("t.py:5:4", "agrees_with_all"));
  expect(two.caught()).toEqual([]);
  expect(two.unsure()).toEqual(["changed", "asked"]);
});

test.each([
  ["another value as soon as something else is expected", ["ours drawn"], ["none drawn"], true],
  ["the same value, whatever is expected", ["five drawn", "drawn five"], ["five", "seven five"], false],
  ["another value in one run alone", ["five drawn"], ["none drawn"], false],
  ["a value of which nothing could be told", ["drawn six"], ["drawn six"], false, ["", ""]],
  ["no value, where the test ended early", [], [], false],
])(
  "suspicion is judged rightly where a test is given %s",
  (_, first, second, caught, told: readonly string[] = ["five"]) => {
    const values = new Suspicions();
    values.add("changed", given({ "t.py:5\tt.py::test_it": first }));
    values.add("told", given({ "t.py:5\tt.py::test_it": told }));
    values.add("changed", given({ "t.py:5\tt.py::test_it": second }));
    const hanging = { site: "t.py:5:0", tests: ["t.py::test_it"], why: "hangs_on_tests" };
    expect(values.caught()).toEqual(caught ? [hanging] : []);
  },
);
