import { expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { objectionToFindings, scanNotes } from "../../runner/checks/scan.js";
import type { ScanFinding } from "../../runner/hands/ports/checks/checks.js";
import { checkResultSchema } from "../../runner/session/log/events/checks.js";
import { reportWith, request } from "../helpers/check-reports.js";

const forging: ScanFinding = {
  path: "calc.py",
  line: 3,
  rule: "leaves_at_once",
  kind: "forges",
  why: "os._exit ends the process",
  excused: false,
};
const excused = { ...forging, line: 4, excused: true };
const smelling: ScanFinding = { ...forging, line: 5, kind: "smells", why: "sys.argv looks around" };

test("a forging construct that the task does not name fails the check, with file and line", () => {
  const refused = { ruff: null, pytest: null, findings: [smelling, forging] };
  const judged = judgementOf(reportWith(refused), request);
  expect(judged).toMatchObject({ passed: false, checks: [{ name: "scan", reason: "forges_verdict" }] });
  expect(judged.checks[0]?.output).toContain("calc.py:3: os._exit ends the process");
  expect(judged.integrityNotes).toEqual(["calc.py:5: sys.argv looks around"]);
  for (const check of judged.checks) checkResultSchema.parse(check);
});

test("a construct that is only suspicious, or that the task names, is noted and passes", () => {
  const judged = judgementOf(reportWith({ findings: [excused, smelling] }), request);
  expect(judged.passed).toBe(true);
  expect(judged.checks.map(({ name }) => name)).not.toContain("scan");
  expect(judged.integrityNotes).toEqual([
    "calc.py:4: os._exit ends the process (the task names it)",
    "calc.py:5: sys.argv looks around",
  ]);
});

test("without findings nothing is noted", () => {
  expect(objectionToFindings([])).toBeNull();
  expect(scanNotes([])).toEqual([]);
});
