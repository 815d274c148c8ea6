import { treeId } from "../../runner/base/ids.js";
import type { CheckReport, CheckRequest } from "../../runner/hands/ports/checks/checks.js";
import type { PytestReport } from "../../runner/hands/ports/checks/pytest.js";
import type { RuffFinding, RuffReport } from "../../runner/hands/ports/checks/ruff.js";

export const id = "tests/test_t001_it.py::test_it";
const staged = [{ path: "tests/test_t001_it.py", source: "def test_it():\n    assert True\n" }];

export const request: CheckRequest = {
  tree: treeId("a".repeat(40)),
  last: treeId("b".repeat(40)),
  staged,
  allStaged: staged,
  facts: [],
  ranRed: [],
  opened: [],
  since: { base: treeId("b".repeat(40)), taskTexts: [] },
  added: [],
  changed: [],
  taskText: "",
  timeoutMs: 1_000,
};

export const honestRun: PytestReport = {
  expected: [{ id, many: false }],
  results: [{ id, outcome: "passed", text: "" }],
  collectErrors: [],
  nonceSeen: true,
  finished: true,
  canaryFailed: true,
  exit: 1,
  signal: null,
  timedOut: false,
  died: false,
  missingModules: [],
  droppedOptions: [],
  unservedOptions: [],
  installedIn: "image",
  reached: {},
  opened: [],
  ground: [],
  betrayals: [],
  agreed: [],
  given: {},
  output: "1 passed",
  ms: 5,
};

const nothingOlder = { same: [], changed: [], findings: [] };

export const cleanRuff: RuffReport = {
  exit: 0,
  timedOut: false,
  findings: [],
  older: nothingOlder,
  problem: "",
  ms: 2,
};

export const finding: RuffFinding = {
  path: "calc.py",
  rule: "F401",
  line: 3,
  lineText: "import os",
  message: "unused",
};

export function reportWith(change: Partial<CheckReport> = {}): CheckReport {
  const whole = {
    judgeFiles: [],
    findings: [],
    integrityNotes: [],
    rewritten: [],
    ruff: cleanRuff,
    pytest: honestRun,
    own: null,
    ownBefore: null,
    ms: 10,
  };
  return { ...whole, ...change };
}
