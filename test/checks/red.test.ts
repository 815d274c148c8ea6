import { expect, test } from "vitest";
import { redOf } from "../../runner/checks/red.js";
import type { RedReport } from "../../runner/hands/ports/checks/checks.js";
import type { PytestReport, TestResult } from "../../runner/hands/ports/checks/pytest.js";
import type { StagedFunction } from "../../runner/hands/ports/checks/staged.js";
import { stagingProblem } from "../../runner/seed/staging-problem.js";
import { honestRun } from "../helpers/check-reports.js";

const path = "tests/test_t001_it.py";
const named = (name: string, change: Partial<StagedFunction> = {}): StagedFunction => ({
  id: `${path}::${name}`,
  keepGreen: null,
  alwaysLeftOut: false,
  asserts: true,
  criteria: [],
  ...change,
});
const ended = (name: string, outcome: TestResult["outcome"], text = ""): TestResult => ({
  id: `${path}::${name}`,
  outcome,
  text,
});

function reportOf(tests: readonly StagedFunction[], run: Partial<PytestReport>): RedReport {
  const pytest = { ...honestRun, expected: [], results: [], ...run };
  return { facts: [{ path, problem: "", tests, assertions: [] }], runs: [{ path, pytest }], declared: [] };
}

function fileOf(tests: readonly StagedFunction[], run: Partial<PytestReport>) {
  return redOf(reportOf(tests, run))[0];
}

test("a function is red when any of its ids is, and green only when none failed", () => {
  const results = [
    ended("test_a[1]", "passed"),
    ended("test_a[2]", "failed", "E   assert 1 == 2"),
    ended("test_b", "passed"),
    ended("TestMade::test_c", "passed"),
  ];
  const file = fileOf([named("test_a"), named("test_b"), named("TestMade")], { results, opened: ["tests/data.json"] });
  expect(file).toMatchObject({
    red: [`${path}::test_a`],
    green: [`${path}::test_b`, `${path}::TestMade`],
    ranIds: results.map(({ id }) => id),
    opened: ["tests/data.json"],
    allGreen: false,
  });
});

test("tests are all green when each that is not always left out passes, and there is at least one", () => {
  const out = named("test_out", { alwaysLeftOut: true });
  const kept = named("test_kept", { keepGreen: "from before" });
  const results = [ended("test_kept", "passed"), ended("test_out", "skipped")];
  expect(fileOf([kept, out], { results })).toMatchObject({ allGreen: true, green: [], ranIds: [`${path}::test_kept`] });
  expect(fileOf([kept, named("test_b")], { results })).toMatchObject({ allGreen: false });
  expect(fileOf([out], { results: [ended("test_out", "xfailed")] })).toMatchObject({ allGreen: false });
});

test("a test that shows only when the file runs is judged like the others", () => {
  const results = [ended("test_hidden[x]", "passed"), ended("test_a", "failed")];
  expect(fileOf([named("test_a")], { results })).toMatchObject({ green: [`${path}::test_hidden`] });
});

test.each<readonly [string, TestResult["outcome"], string]>([
  ["assertion", "failed", "x.py:1: in test\n    assert f() == 1\nE   assert 2 == 1\nE    +  where 2 = f()"],
  ["assertion", "failed", "E   Failed: DID NOT RAISE <class 'ValueError'>"],
  ["assertion", "failed", "E   KeyError: 1\n\nDuring handling another:\nx.py:3: in g\nE   AssertionError: no"],
  ["error", "failed", "E   AssertionError: no\n\nDuring handling another:\nx.py:3: in g\nE   KeyError: 1"],
  ["import", "failed", "x.py:3: in test\n    import new\nE   ModuleNotFoundError: No module named 'new'"],
  ["error", "failed", "no traceback at all"],
  ["setup", "error", "E       fixture 'x' not found"],
  ["xpassed", "xpassed", ""],
])("the reason is %s for a test that %s with %j", (reason, outcome, text) => {
  expect(fileOf([named("test_a")], { results: [ended("test_a", outcome, text)] })?.tests).toEqual({
    [`${path}::test_a`]: reason,
  });
});

const stopped = { nonceSeen: false, finished: false, canaryFailed: false, exit: null, output: "" };

test.each<readonly [string, RegExp, Partial<PytestReport>]>([
  ["timeout", /did not end in time/, { ...stopped, timedOut: true }],
  ["died", /ended the process that ran it \(signal 9\)/, { ...stopped, died: true, signal: "9" }],
  ["not_run", /gave a report that its run did not write/, stopped],
  [
    "usage",
    /pytest does not start: ERROR: no such thing/,
    { finished: false, exit: 4, output: "ERROR: no such thing" },
  ],
  ["not_run", /pytest stopped \(exit status 2\)/, { finished: false, exit: 2 }],
  ["not_run", /leaves .*test_a out/, {}],
])("a test without a result is %s at task start, and refused at staging", (reason, said, run) => {
  expect(fileOf([named("test_a")], run)).toMatchObject({
    tests: { [`${path}::test_a`]: reason },
    red: [],
    green: [],
    allGreen: false,
  });
  expect(stagingProblem(reportOf([named("test_a")], run))).toMatch(said);
});

test("a red test is no problem, and the first one that is not red is named with its task", () => {
  const red = [ended("test_a", "failed")];
  expect(stagingProblem(reportOf([named("test_a")], { results: red }))).toBeNull();
  const results = [...red, ended("test_b", "passed"), ended("test_c", "passed")];
  const problem = stagingProblem(reportOf([named("test_a"), named("test_b"), named("test_c")], { results }));
  expect(problem).toMatch(/^tests\/test_t001_it\.py::test_b \(T-001\) passes already/);
});

const inEnvironment: Partial<PytestReport> = { finished: false, exit: 2, installedIn: "environment" };
const lacking = (name: string): Partial<PytestReport> => ({
  collectErrors: [{ path, reason: "missing_module", text: "" }],
  missingModules: [name],
});

test.each<readonly [string, RegExp, Partial<PytestReport>]>([
  [
    "a declared package",
    /requests is not in the environment; the project declares requests>=2: name/,
    lacking("requests"),
  ],
  ["a plugin", /the plugin pytest_mock is not in the environment; do without it, or name it/, lacking("pytest_mock")],
  [
    "an option",
    /no plugin in the environment serves --x, which the project asks for; name/,
    { unservedOptions: ["--x"] },
  ],
])("with an environment, the person is told to name %s that it lacks in a dependency file", (_, said, run) => {
  const declared = [{ module: "requests", requirement: "requests>=2" }];
  const report = { ...reportOf([named("test_a")], { ...inEnvironment, ...run }), declared };
  expect(stagingProblem(report)).toMatch(said);
  expect(stagingProblem(report)).toContain("(TILTH_DEPENDENCIES says which)");
});

test("a conftest that pytest refuses is a problem, because no task can solve it", () => {
  const text = "pytest 9.2.0 refuses it (x); pin pytest<9 in the dependency files, or write it for pytest 9";
  const collectErrors = [{ path: "conftest.py", reason: "refused_by_pytest", text }];
  const run = { finished: false, exit: 4, collectErrors };
  expect(stagingProblem(reportOf([named("test_a")], run))).toContain(`cannot be run: conftest.py: ${text}`);
  expect(fileOf([named("test_a")], run)?.tests).toEqual({ [`${path}::test_a`]: "usage" });
});
