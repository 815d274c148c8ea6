import { expect, test } from "vitest";
import { newFindings } from "../../runner/checks/findings.js";
import type { Hunk, RuffFinding } from "../../runner/hands/ports/checks/ruff.js";
import { finding } from "../helpers/check-reports.js";

const path = "calc.py";
const at = (line: number, rule: string, message: string, lineText = `line ${line}`): RuffFinding => ({
  ...{ path, rule, line, message, lineText },
});
const long = (line: number, length: number) => at(line, "E501", `Line too long (${length} > 88)`, "x".repeat(length));
const star = (line: number, name: string, from = "`shapes`") =>
  at(line, "F405", `\`${name}\` may be undefined, or defined from star imports: ${from}`);

/** The lines of the findings that count. */
function counting(findings: readonly RuffFinding[], before: readonly RuffFinding[], hunks: readonly Hunk[] = []) {
  const older = { same: [], changed: [{ path, hunks }], findings: before };
  return newFindings({ findings, older }, { allStaged: [] }).map(({ line }) => line);
}

test("all findings of a new file count, and none of an untouched file", () => {
  const findings = [finding];
  const older = { same: [], changed: [], findings: [] };
  expect(newFindings({ findings, older }, { allStaged: [] })).toEqual([finding]);
  expect(newFindings({ findings, older: { ...older, same: [path] } }, { allStaged: [] })).toEqual([]);
  expect(newFindings({ findings, older }, { allStaged: [{ path, source: "" }] })).toEqual([]);
});

test.each<readonly [string, readonly number[], readonly RuffFinding[], readonly RuffFinding[], readonly Hunk[]]>([
  ["a line that moved", [], [at(9, "F841", "`x` unused", "x = 1")], [at(3, "F841", "`y` unused", "x = 1")], []],
  ["a line that is touched and stays too long", [], [long(5, 95)], [long(5, 99)], [[5, 1, 5, 1]]],
  [
    "another name in a line that had the finding",
    [],
    [at(5, "F841", "`b` unused")],
    [at(4, "F841", "`a` unused")],
    [[4, 1, 5, 1]],
  ],
  [
    "one more than the lines had that were replaced",
    [6],
    [at(5, "F841", "`b` unused"), at(6, "F841", "`c` unused")],
    [at(4, "F841", "`a` unused")],
    [[4, 1, 5, 2]],
  ],
  ["a finding of a line elsewhere", [9], [at(9, "F841", "`b` unused")], [at(4, "F841", "`a` unused")], [[4, 1, 5, 1]]],
  [
    "another rule in a line that had a finding",
    [5],
    [at(5, "F401", "`os` unused")],
    [at(5, "E401", "two imports")],
    [[5, 1, 5, 1]],
  ],
  [
    "a habit of the file that a newer rule minds",
    [],
    [at(9, "UP007", "Use `X | Y`")],
    [at(2, "UP007", "Use `X | Y`")],
    [[8, 0, 9, 1]],
  ],
  [
    "an undefined name in a file that had another",
    [9],
    [at(9, "F821", "Undefined name `b`")],
    [at(2, "F821", "Undefined name `a`")],
    [[8, 0, 9, 1]],
  ],
  ["a rule that the file kept", [9], [at(9, "E711", "Comparison to `None`")], [], [[8, 0, 9, 1]]],
  ["another name of a star import", [], [star(9, "area")], [star(3, "side")], [[8, 0, 9, 1]]],
  [
    "the first name of an old star import",
    [],
    [star(9, "area")],
    [at(1, "F403", "`from shapes import *` used; unable to detect undefined names")],
    [],
  ],
  [
    "another name of a star import, where ruff does not say of which",
    [],
    [star(9, "area", "")],
    [star(3, "side", "")],
    [],
  ],
  ["a name of a star import in a file that had none", [9], [star(9, "area", "")], [], []],
  ["a name of a new star import", [9], [star(9, "area", "`other`, `shapes`")], [star(3, "side")], []],
  [
    "a new star import",
    [2],
    [at(2, "F403", "`from other import *` used")],
    [at(1, "F403", "`from shapes import *` used")],
    [],
  ],
])("for %s, the findings that count are in lines %o", (_, expected, findings, before, hunks) => {
  expect(counting(findings, before, hunks)).toEqual(expected);
});
