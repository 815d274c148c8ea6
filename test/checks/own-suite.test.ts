import { describe, expect, test } from "vitest";
import { baseOfRuns } from "../../runner/checks/suite/base.js";
import { SuiteSoFar } from "../../runner/checks/suite/baseline.js";
import { nothingRan } from "../../runner/checks/suite/outcomes.js";
import { saidOf } from "../../runner/checks/suite/said.js";
import { sidesOf } from "../../runner/checks/suite/sides.js";
import type { TestResult } from "../../runner/hands/ports/checks/pytest.js";
import type { SuiteReport } from "../../runner/hands/ports/checks/suite.js";
import type { Change } from "../../runner/hands/ports/clerk.js";

const oid = (digit: string) => digit.repeat(40);
const span = { task_id: "T-001", trace_id: "0".repeat(32), span_id: "0".repeat(16), iter: 1 };

function report(outcomes: Readonly<Record<string, TestResult["outcome"]>>): SuiteReport {
  const results = Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome, text: "" }));
  return { ...nothingRan, results };
}

describe("two runs of a project's tests", () => {
  test("tell unstable tests from passing, failing and skipped ones, each set of parameters by itself", () => {
    const first = report({
      ...{ "a.py::test_good": "passed", "a.py::test_bad": "failed", "a.py::test_skip": "skipped" },
      ...{ "a.py::test_sets[1]": "passed", "a.py::test_sets[2]": "failed", "a.py::test_sets[3]": "passed" },
      ...{ "a.py::test_other[x0]": "passed", "a.py::test_moody": "failed", "a.py::test_part[skip]": "xfailed" },
      "a.py::test_part[run]": "passed",
    });
    const second = report({
      ...{ "a.py::test_good": "passed", "a.py::test_bad": "failed", "a.py::test_skip": "skipped" },
      ...{ "a.py::test_sets[1]": "passed", "a.py::test_sets[2]": "failed", "a.py::test_sets[3]": "error" },
      ...{ "a.py::test_other[x1]": "passed", "a.py::test_moody": "passed", "a.py::test_part[skip]": "xfailed" },
      "a.py::test_part[run]": "passed",
    });
    const base = baseOfRuns(first, second);
    expect(base).toMatchObject({
      ...{ runs: 2, passed: 4, failed: 2, unstable: 2, skipped: 2 },
      held: { "a.py": ["test_good", "test_sets", "test_other", "test_part"] },
      failing: ["a.py::test_bad", "a.py::test_sets[2]"],
      unsteady: ["a.py::test_sets[3]", "a.py::test_moody"],
      left_out: ["a.py::test_part[skip]"],
    });
    expect(saidOf(base, 300)).toEqual([
      "your tests: 4 pass, 2 fail already (a.py::test_bad, a.py::test_sets[2]), 2 are unstable (a.py::test_sets[3], a.py::test_moody), 2 are skipped",
    ]);
  });

  test("make a small record for twenty thousand tests", () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, n) => [
        `tests/test_${n % 200}.py::test_it[${n}-${"x".repeat(60)}]`,
        "passed" as const,
      ]),
    );
    const base = baseOfRuns(report(many), report(many));
    expect([base.passed, JSON.stringify(base).length < 20_000]).toEqual([20_000, true]);
  });
});

describe("the set of held tests", () => {
  const base = baseOfRuns(report({ "a.py::test_a": "passed", "a.py::test_b": "failed" }), null);
  const based = { ...base, tree: oid("1"), at: "staging" as const, environment: null, ms: 10 };
  const tried = (passed: boolean, tree: string) => ({
    ...{
      ...span,
      tree,
      last: oid("0"),
      rewritten: ["a.py"],
      outdated: [],
      passed,
      ran: 1,
      failed: [],
      changed: [],
      gone: ["a.py::test_a"],
    },
    ...{ joined: ["a.py::test_b", "b.py::test_new"], excused: [], not_run: ["c.py"], ms: 1 },
  });

  test.each([
    ["moves on with the commit of the tree that was tried", true, oid("2"), oid("2"), true],
    ["stays where another tree was committed", true, oid("3"), oid("2"), false],
    ["stays where the tree was refused", false, oid("2"), oid("2"), false],
  ])("%s", (_, passed, tree, committed, moves) => {
    const soFar = new SuiteSoFar();
    soFar.add({ type: "base_suite", payload: based });
    soFar.add({ type: "suite_run", payload: tried(passed, tree) });
    expect([...(soFar.baseline?.held.get("a.py") ?? [])]).toEqual(["test_a"]);
    soFar.add({ type: "commit", payload: { ...span, sha: oid("9"), tree: committed } });
    const { held, excepted, notRun } = soFar.baseline ?? {};
    expect([...(held?.get("a.py") ?? [])]).toEqual(moves ? ["test_b"] : ["test_a"]);
    expect(soFar.baseline?.rewritten.get("a.py")).toBe(moves ? oid("0") : undefined);
    expect([held?.has("b.py"), excepted?.has("a.py::test_b"), notRun?.has("c.py")]).toEqual([moves, !moves, moves]);
  });
});

test("the tests' side has test files and what stands beside them, but no conftest and no file the task names", () => {
  const change = (path: string, status: Change["status"] = "modified"): Change => ({
    ...{ path, status, mode: "100644", oid: oid("1"), oldOid: oid("2") },
  });
  const held = ["pkg/test_beside.py", "tests/unit/test_a.py", "docs/code.py", "lib/test/test_b.py"];
  const soFar = new SuiteSoFar();
  const base = baseOfRuns(
    report(Object.fromEntries(held.map((path) => [`${path}::test_it`, "passed" as const]))),
    null,
  );
  soFar.add({
    type: "base_suite",
    payload: { ...base, in_code: ["docs/code.py"], tree: oid("1"), at: "staging", environment: null, ms: 1 },
  });
  const { baseline } = soFar;
  if (baseline === null) throw new Error("nothing was based");
  const paths = ["pkg/code.py", "pkg/test/made.py", "tests/helper.py", "tests/unit/data.json", "tests/named.txt"];
  const changes = [
    ...[...held, ...paths, "tests/conftest.py", "tests/test_t001_it.py"].map((path) => change(path)),
    change("tests/helper/__init__.py", "added"),
    change("lib/test/tool.py"),
  ];
  const sides = sidesOf(changes, {
    baseline,
    staged: ["tests/test_t001_it.py"],
    taskText: "Write tests/named.txt anew.",
  });
  expect([...sides.unasked].sort()).toEqual([
    "lib/test/test_b.py",
    "lib/test/tool.py",
    "pkg/test_beside.py",
    "tests/helper.py",
    "tests/helper/__init__.py",
    "tests/unit/data.json",
    "tests/unit/test_a.py",
  ]);
  expect(sides.all).toEqual(expect.arrayContaining(["tests/named.txt", "tests/conftest.py"]));
  expect(sides.held.map(({ path }) => path)).toEqual([
    "pkg/test_beside.py",
    "tests/unit/test_a.py",
    "lib/test/test_b.py",
  ]);
});
