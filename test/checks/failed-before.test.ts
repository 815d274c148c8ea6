import { expect, test } from "vitest";
import { blamedOn } from "../../runner/checks/failed-before.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { PytestReport, TestResult } from "../../runner/hands/ports/checks/pytest.js";
import { honestRun, reportWith, request } from "../helpers/check-reports.js";

const file = "tests/test_old.py";
const failing = (name: string): TestResult => ({ id: `${file}::${name}`, outcome: "failed", text: "" });
const passing = (name: string): TestResult => ({ ...failing(name), outcome: "passed" });
const run = (change: Partial<PytestReport>): PytestReport => ({ ...honestRun, expected: [], results: [], ...change });
const unread = (reason: string) => ({ path: file, reason, text: "" });

function passes(own: PytestReport, ownBefore: PytestReport | null): boolean {
  return judgementOf(reportWith({ own, ownBefore }), { ...request, added: [file], changed: [file] }).passed;
}

test("a failed test does not count when its function failed on the last accepted tree too, whatever its parameters", () => {
  const own = run({ results: [failing("test_old[new]"), passing("test_mine")] });
  expect(passes(own, null)).toBe(false);
  expect(passes(own, run({ results: [failing("test_old[a]"), passing("test_old[b]")] }))).toBe(true);
  expect(passes(own, run({ results: [passing("test_old[new]")] }))).toBe(false);
  expect(passes(own, run({ results: [failing("test_older")] }))).toBe(false);
});

test("a moved file counts as the same file", () => {
  const elsewhere = (result: TestResult) => ({ ...result, id: result.id.replace("tests/", "old/") });
  const own = run({ results: [failing("test_old[new]")] });
  expect(passes(own, run({ results: [elsewhere(failing("test_old"))] }))).toBe(true);
  expect(passes(own, run({ results: [elsewhere(passing("test_old"))] }))).toBe(false);
  const another = { ...failing("test_old"), id: "tests/test_another.py::test_old" };
  expect(passes(own, run({ results: [another] }))).toBe(false);
});

test("a file that could not be collected for the same reason before does not count", () => {
  const own = run({ collectErrors: [unread("missing_module")], missingModules: ["redis"] });
  expect(passes(own, run({ collectErrors: [unread("missing_module")], missingModules: ["redis"] }))).toBe(true);
  expect(passes(own, run({ collectErrors: [unread("syntax_error")] }))).toBe(false);
  expect(passes(own, run({}))).toBe(false);
});

test("a new failure beside an old one still counts, and the old one is noted", () => {
  const before = run({ results: [failing("test_old"), passing("test_other")] });
  expect(passes(run({ results: [failing("test_old"), failing("test_other")] }), before)).toBe(false);
  const report = reportWith({ own: run({ results: [failing("test_old")] }), ownBefore: before });
  const { integrityNotes } = judgementOf(report, { ...request, added: [file], changed: [file] });
  expect(integrityNotes.join()).toContain(`failed on the last accepted tree as well: ${file}::test_old`);
});

test("an unproved run on the last accepted tree excuses nothing", () => {
  const own = run({ results: [failing("test_old")] });
  const before = run({ results: [failing("test_old")], nonceSeen: false });
  expect(blamedOn(own, before)).toEqual({ report: own, known: [] });
  expect(passes(run({ results: [], canaryFailed: false }), run({ results: [failing("test_old")] }))).toBe(false);
});
