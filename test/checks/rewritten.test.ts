import { expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { RewrittenFile } from "../../runner/hands/ports/checks/checks.js";
import { honestRun, reportWith, request } from "../helpers/check-reports.js";

const data: RewrittenFile = { by: "pytest", path: "log/run.txt", what: "changed", touched: false };

test.each<readonly [string, Partial<RewrittenFile>, boolean]>([
  ["data that the task left alone", {}, true],
  ["code of the tests' own", { path: "tests/samples/a.py" }, true],
  ["a module of tests", { path: "tests/unit/test_a.py" }, false],
  ["a conftest", { path: "tests/conftest.py" }, false],
  ["data that the task touched", { touched: true }, false],
  ["code", { path: "pkg/a.py" }, false],
  ["code that is gone", { path: "pkg/a.py", what: "deleted" }, false],
  ["code, by tests that the task added", { path: "pkg/a.py", by: "added_tests" }, false],
  ["anything, by ruff", { by: "ruff" }, false],
  ["a file that ruff leaves", { by: "ruff", what: "added" }, false],
])("a run that changes %s (%j) passes: %s", (_, change, passes) => {
  const judged = judgementOf(reportWith({ rewritten: [{ ...data, ...change }] }), request);
  expect(judged.passed).toBe(passes);
  if (passes)
    expect(judged.integrityNotes).toContain(`while the tests ran, ${change.path ?? data.path} was changed (pytest)`);
  else expect(judged.checks.at(-1)).toMatchObject({ name: "tree", reason: "tree_changed" });
});

test("failing tests may leave files changed that they would have put back; ruff may not", () => {
  const pytest = { ...honestRun, results: [] };
  const reasons = (by: RewrittenFile["by"]) =>
    judgementOf(reportWith({ pytest, rewritten: [{ ...data, by, path: "a.py" }] }), request).checks.map(
      (each) => each.reason,
    );
  expect(reasons("pytest")).toEqual([null, "test_missing"]);
  const own = judgementOf(reportWith({ own: pytest, rewritten: [{ ...data, path: "a.py" }] }), {
    ...request,
    added: ["tests/test_own.py"],
  });
  expect(own.checks.at(-1)?.reason).toBe("tree_changed");
  expect(reasons("ruff")).toEqual([null, "test_missing", "tree_changed"]);
});
