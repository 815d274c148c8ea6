import { expect, test } from "vitest";
import type { StagedFacts } from "../../../runner/hands/ports/checks/staged.js";
import { criteriaNotes } from "../../../runner/loop/judging/red-check.js";

function naming(...criteria: readonly (readonly number[])[]): StagedFacts {
  const tests = criteria.map((numbers, at) => ({
    id: `t.py::test_${at}`,
    keepGreen: null,
    alwaysLeftOut: false,
    asserts: true,
    criteria: numbers,
  }));
  return { path: "t.py", problem: "", tests, assertions: [] };
}

test("when tests name criteria, a criterion that none names and one that does not exist are noted", () => {
  expect(criteriaNotes(naming([1], [4], []), 3)).toEqual([
    "t.py::test_1 names criterion 4, which the task does not have",
    "criterion 2 is named by no seed test, while others are",
    "criterion 3 is named by no seed test, while others are",
  ]);
  expect(criteriaNotes(naming([1, 2], [3]), 3)).toEqual([]);
});

test("tests that name no criteria give no notes", () => {
  expect(criteriaNotes(naming([], []), 2)).toEqual([]);
  expect(criteriaNotes(undefined, 2)).toEqual([]);
});
