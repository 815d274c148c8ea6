import { expect, test } from "vitest";
import { counterJudgement, leftOutSites, sitesInOrder } from "../../runner/checks/counter.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { AssertionSite, StagedFacts, StagedFunction } from "../../runner/hands/ports/checks/staged.js";
import { checkResultSchema } from "../../runner/session/log/events/checks.js";
import { honestRun, id, reportWith, request } from "../helpers/check-reports.js";

const site = (line: number, owner: string | null = id, unfair: string | null = null): AssertionSite => ({
  id: `tests/test_t001_it.py:${line}:4`,
  test: owner,
  unfair,
});
const factsOf = (assertions: readonly AssertionSite[], more: Partial<StagedFunction> = {}): StagedFacts => ({
  path: "tests/test_t001_it.py",
  problem: "",
  tests: [{ id, keepGreen: null, alwaysLeftOut: false, asserts: true, criteria: [], ...more }],
  assertions,
});
const helper: AssertionSite = { id: "tests/helper.py:2:4", test: null, unfair: null };

test("sites come file by file, each once, at random within a file, and only fair ones that were reached", () => {
  const facts = [factsOf([site(1), site(2), site(3, id, "inside try"), site(4), helper]), factsOf([helper, site(9)])];
  const reached = { [id]: [1, 2, 3, 9].map((line) => site(line).id), "": [helper.id] };
  const draws = [0.9, 0.5, 0.1, 0.2, 0.1];
  expect(sitesInOrder(facts, reached, () => draws.shift() ?? 0)).toEqual([
    helper.id,
    site(2).id,
    site(1).id,
    site(9).id,
  ]);
  expect(leftOutSites(facts, reached)).toEqual([
    { site: site(3).id, why: "inside try" },
    { site: site(4).id, why: "not reached" },
  ]);
});

test("a failed counter-check has its own reason, and names the place and the tests", () => {
  const report = {
    reached: [site(7).id],
    caught: [{ site: site(7).id, tests: [id], why: null }],
    leftOut: [],
    failedAgain: null,
    ms: 5,
  };
  const result = checkResultSchema.parse(counterJudgement(report));
  expect(result).toMatchObject({ name: "counter_check", passed: false, reason: "counter_check", ms: 5 });
  expect(result.output).toContain(`tests/test_t001_it.py:7: ${id}`);
  expect(counterJudgement({ ...report, caught: [] })).toMatchObject({ passed: true, reason: null, output: "" });
});

function judged(facts: StagedFacts, reached: Readonly<Record<string, readonly string[]>>, seen = id) {
  const pytest = { ...honestRun, reached, results: [{ id: seen, outcome: "passed", text: "" }] as const };
  return judgementOf(reportWith({ pytest }), { ...request, facts: [facts] });
}

test.each<readonly [string, string | null, StagedFacts, Readonly<Record<string, readonly string[]>>, string]>([
  [
    "a test that reaches none of its assertions",
    "no_assertion_reached",
    factsOf([site(1), helper]),
    { [id]: [helper.id] },
    id,
  ],
  [
    "a test that reaches them only under another name",
    "no_assertion_reached",
    factsOf([site(1)]),
    { "": [site(1).id] },
    id,
  ],
  ["a test whose helper's assertion is not reached", "no_assertion_reached", factsOf([helper]), {}, id],
  [
    "a test that reaches one of its own",
    null,
    factsOf([site(1), site(2, id, "inside try")]),
    { [id]: [site(2).id] },
    id,
  ],
  ["a test with parameters", null, factsOf([site(1)]), { [`${id}[b]`]: [site(1).id] }, `${id}[a]`],
  ["a test whose helper asserts", null, factsOf([helper]), { [id]: [helper.id] }, id],
  ["a test without any assertion", null, factsOf([], { asserts: false }), {}, id],
  ["a test that surely asserts", "no_assertion_reached", factsOf([site(1)], { surelyAsserts: "itself" }), {}, id],
  ["a test whose helper surely asserts", "no_assertion_reached", factsOf([], { surelyAsserts: "somewhere" }), {}, id],
  [
    "a test whose helper asserted, while its own condition did not hold",
    null,
    factsOf([site(1), helper], { surelyAsserts: "somewhere" }),
    { [id]: [helper.id] },
    id,
  ],
  ["a test that did not run here", null, factsOf([site(1)]), {}, "tests/test_t001_it.py::test_other"],
])("%s gives the reason %s", (_, reason, facts, reached, seen) => {
  const found = judged(facts, reached, seen).checks[1]?.reason;
  expect(found === "no_assertion_reached" ? found : null).toBe(reason);
});

test("a test that asserts only under conditions may meet none of them, and that is noted", () => {
  const { checks, integrityNotes } = judged(factsOf([site(1)], { surelyAsserts: null }), {});
  expect(checks[1]?.reason).not.toBe("no_assertion_reached");
  expect(integrityNotes).toContain(`passed, and met none of the conditions under which they assert: ${id}`);
});
