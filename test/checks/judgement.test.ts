import { describe, expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { PytestReport, TestResult } from "../../runner/hands/ports/checks/pytest.js";
import { checkResultSchema } from "../../runner/session/log/events/checks.js";
import { cleanRuff, finding, honestRun, id, reportWith, request } from "../helpers/check-reports.js";

const passed = (name: string): TestResult => ({ id: name, outcome: "passed", text: "" });

function reasonFor(change: Partial<PytestReport>): string | null | undefined {
  const judged = judgementOf(reportWith({ pytest: { ...honestRun, ...change } }), request);
  expect(judged.passed).toBe(judged.checks.every((check) => check.passed));
  return judged.checks.find(({ name }) => name === "pytest")?.reason;
}

test("a complete and honest run passes every check", () => {
  const judged = judgementOf(reportWith(), request);
  expect(judged).toMatchObject({ passed: true, expected: [id], seen: [{ id, outcome: "passed" }] });
  expect(judged.checks.map(({ name, passed: ok }) => [name, ok])).toEqual([
    ["ruff", true],
    ["pytest", true],
  ]);
  for (const check of judged.checks) checkResultSchema.parse(check);
});

test.each<readonly [string, Partial<PytestReport>]>([
  ["timeout", { timedOut: true, results: [], nonceSeen: false, finished: false, canaryFailed: false, exit: null }],
  ["check_died", { died: true, results: [], nonceSeen: false, finished: false, canaryFailed: false, exit: 0 }],
  ["forged_report", { nonceSeen: false }],
  ["forged_report", { exit: 0 }],
  ["forged_report", { exit: null, signal: "9" }],
  ["unserved_option", { unservedOptions: ["--asyncio-mode"], finished: false, exit: 4 }],
  ["missing_module", { collectErrors: [{ path: "a", reason: "", text: "" }], missingModules: ["requests"] }],
  ["collect_error", { collectErrors: [{ path: "a", reason: "error", text: "SyntaxError" }] }],
  ["not_finished", { finished: false, exit: 2 }],
  ["test_failed", { results: [{ id, outcome: "failed", text: "" }] }],
  ["test_failed", { results: [passed(id), { id: "tests/test_t002_x.py::test_y", outcome: "error", text: "" }] }],
  ["test_missing", { results: [] }],
  ["test_missing", { expected: [{ id: "tests/test_t001_it.py", many: true }], results: [passed("other.py::test_x")] }],
  ["skipped", { results: [{ id, outcome: "skipped", text: "" }] }],
  ["skipped", { results: [{ id, outcome: "xfailed", text: "" }] }],
  ["skipped", { results: [{ id, outcome: "xpassed", text: "" }] }],
  ["no_canary", { canaryFailed: false }],
])("the reason is %s when the report says %o", (reason, change) => {
  expect(reasonFor(change)).toBe(reason);
});

describe("the reason for a parametrised test", () => {
  const base = "tests/test_t001_it.py::test_p";
  const exact = [1, 2].map((value) => ({ id: `${base}[${value}]`, many: false }));

  test.each<readonly [string | null, PytestReport["expected"], readonly string[]]>([
    [null, exact, [`${base}[1]`, `${base}[2]`]],
    ["test_missing", exact, [`${base}[1]`]],
    [null, exact, [`${base}[a-1]`, `${base}[a-2]`]],
    ["test_missing", exact, [`${base}[a-1]`]],
    [null, [{ id: base, many: true, count: 2 }], [`${base}[x]`, `${base}[y]`]],
    ["test_missing", [{ id: base, many: true, count: 2 }], [`${base}[x]`]],
    [null, [{ id: base, many: true }], [`${base}[x]`]],
    ["test_missing", [{ id: base, many: true }], [`${base}_other[x]`]],
    [null, [{ id: base, many: false }], [`${base}[x]`]],
  ])("is %s for %o when %o ran", (reason, expected, ran) => {
    expect(reasonFor({ expected, results: ran.map(passed) })).toBe(reason);
  });
});

describe("a staged test that its own file leaves out", () => {
  const left = { id, keepGreen: null, alwaysLeftOut: true, asserts: false, criteria: [] };
  const facts = [{ path: "tests/test_t001_it.py", problem: "", tests: [left], assertions: [] }];

  function reasonOf(outcome: TestResult["outcome"], known: Partial<typeof request>): string | null | undefined {
    const pytest = { ...honestRun, results: [{ id, outcome, text: "" }] };
    return judgementOf(reportWith({ pytest }), { ...request, ...known }).checks[1]?.reason;
  }

  test.each(["skipped", "xfailed", "xpassed"] as const)(
    "may be %s only where the file always leaves it out",
    (outcome) => {
      expect(reasonOf(outcome, { facts })).toBeNull();
      expect(reasonOf(outcome, {})).toBe("skipped");
      expect(
        reasonOf(outcome, { facts: facts.map((one) => ({ ...one, tests: [{ ...left, alwaysLeftOut: false }] })) }),
      ).toBe("skipped");
    },
  );

  test("may have one set of parameters left out, and only that one", () => {
    const own = facts.map((one) => ({ ...one, tests: [{ ...left, alwaysLeftOut: false, leftOutIds: [`${id}[b]`] }] }));
    const reasonFor = (out: string) => {
      const results = ["a", "b"].map((set) => ({
        ...passed(`${id}[${set}]`),
        ...(set === out ? { outcome: "skipped" } : {}),
      }));
      const pytest = { ...honestRun, expected: [{ id, many: true, count: 2 }], results: results as TestResult[] };
      return judgementOf(reportWith({ pytest }), { ...request, facts: own }).checks[1]?.reason;
    };
    expect([reasonFor("b"), reasonFor("a")]).toEqual([null, "skipped"]);
  });

  test("may not be skipped when it ran at the task's start, and may not be missing or fail", () => {
    expect(reasonOf("skipped", { facts, ranRed: [id] })).toBe("skipped");
    expect(reasonOf("failed", { facts })).toBe("test_failed");
    const gone = { ...honestRun, results: [] };
    expect(judgementOf(reportWith({ pytest: gone }), { ...request, facts }).checks[1]?.reason).toBe("test_missing");
  });
});

test("no test of a staged file may be skipped, whether its syntax tree shows the test or not", () => {
  const reasonWith = (hidden: string) => {
    const results: TestResult[] = [passed(id), { id: hidden, outcome: "skipped", text: "" }];
    return judgementOf(reportWith({ pytest: { ...honestRun, results } }), request).checks[1]?.reason;
  };
  expect(reasonWith(`${id.split("::")[0]}::Made::test_made`)).toBe("skipped");
  expect(reasonWith("tests/test_other.py::test_other")).toBeNull();
});

test("a test that ran at the task's start has to run again, even where the syntax tree expects less", () => {
  const computed = { ...honestRun, expected: [{ id, many: true }], results: [passed(`${id}[a]`)] };
  const reasonWith = (ranRed: readonly string[]) =>
    judgementOf(reportWith({ pytest: computed }), { ...request, ranRed }).checks[1]?.reason;
  expect(reasonWith([])).toBeNull();
  expect(reasonWith([`${id}[a]`])).toBeNull();
  expect(reasonWith([`${id}[a]`, `${id}[b]`])).toBe("test_missing");
});

describe("ruff", () => {
  const withFindings = reportWith({ ruff: { ...cleanRuff, exit: 1, findings: [finding] } });

  test("fails on findings of the change, and not on those of a file that is as in the base", () => {
    const judged = judgementOf(withFindings, request);
    expect(judged.checks[0]).toMatchObject({ name: "ruff", passed: false, reason: "lint" });
    expect(judged.checks[0]?.output).toContain("calc.py:3: F401 unused");
    const older = { same: [finding.path], changed: [], findings: [] };
    const ruff = { ...cleanRuff, exit: 1, findings: [finding], older };
    expect(judgementOf(reportWith({ ruff }), request).passed).toBe(true);
  });

  test("does not fail on staged tests, which were linted when they were staged", () => {
    const findings = [{ ...finding, path: "tests/test_t001_it.py" }];
    expect(judgementOf(reportWith({ ruff: { ...cleanRuff, exit: 1, findings } }), request).passed).toBe(true);
  });

  test("fails the check when it cannot run", () => {
    const judged = judgementOf(reportWith({ ruff: { ...cleanRuff, exit: 2, problem: "bad config" } }), request);
    expect(judged.checks[0]).toMatchObject({ passed: false, reason: "lint_failed" });
  });
});

test("a changed judge file is named with the command that puts it back, and nothing else is judged", () => {
  const change = { path: "conftest.py", table: null, what: "changed", allowed: false, remedy: "git checkout" } as const;
  const judged = judgementOf(reportWith({ judgeFiles: [change], ruff: null, pytest: null }), request);
  expect(judged).toMatchObject({ passed: false, checks: [{ name: "judge_files", reason: "judge_files" }] });
  expect(judged.checks[0]?.output).toContain("conftest.py: changed. git checkout");
});

test("a report without one of the runs does not pass, whatever else is in order", () => {
  expect(judgementOf(reportWith({ pytest: null }), request).passed).toBe(false);
  expect(judgementOf(reportWith({ ruff: null }), request).passed).toBe(false);
  expect(judgementOf(reportWith(), { ...request, added: ["tests/test_mine.py"] }).passed).toBe(false);
});

test("test files of the task must pass, may skip, and need not hold any test", () => {
  const own = { ...honestRun, expected: [], results: [{ id: "t.py::test_x", outcome: "skipped", text: "" }] as const };
  const asked = { ...request, added: ["t.py"] };
  expect(judgementOf(reportWith({ own }), asked)).toMatchObject({ passed: true });
  expect(judgementOf(reportWith({ own }), asked).integrityNotes.join()).toContain("t.py::test_x (skipped)");
  expect(judgementOf(reportWith({ own: { ...own, results: [] } }), asked).passed).toBe(true);
  const failing = { ...own, results: [{ id: "t.py::test_x", outcome: "failed", text: "" }] as const };
  expect(judgementOf(reportWith({ own: failing }), asked).checks[2]).toMatchObject({ reason: "test_failed" });
});
