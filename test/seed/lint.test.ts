import { expect, it } from "vitest";
import type { RuffFinding, RuffReport } from "../../runner/hands/ports/checks/ruff.js";
import type { StagedTest } from "../../runner/hands/ports/checks/staged.js";
import { lintSeed } from "../../runner/seed/lint.js";
import type { Seed } from "../../runner/seed/seed.js";
import { cleanRuff } from "../helpers/check-reports.js";

const seed: Seed = {
  prd: [],
  tests: [{ taskId: "T-001", name: "test_t001_x.py", path: "tests/test_t001_x.py", source: "import os\n" }],
  notes: { tldr: "", open_questions: [], blockers: [], scope_notes: "" },
};
const unused: RuffFinding = {
  path: "tests/test_t001_x.py",
  rule: "F401",
  line: 1,
  lineText: "import os",
  message: "`os` imported but unused",
};
const signal = new AbortController().signal;

function said(
  report: Partial<RuffReport>,
  seen: (files: readonly StagedTest[]) => void = () => undefined,
): Promise<string | null> {
  const whole: RuffReport = { ...cleanRuff, ...report };
  const lintFiles = async (files: readonly StagedTest[]) => {
    seen(files);
    return whole;
  };
  return lintSeed(seed, { lintFiles }, signal);
}

it("clean tests pass after all of them were looked at", async () => {
  const paths: string[] = [];
  expect(await said({}, (files) => paths.push(...files.map((file) => file.path)))).toBeNull();
  expect(paths).toEqual(["tests/test_t001_x.py"]);
});

it("the first finding is named with its file, task and rule, and the others are counted", async () => {
  const problem = await said({ exit: 1, findings: [unused, unused] });
  for (const part of ["tests/test_t001_x.py", "T-001", "F401", "1 more"]) expect(problem).toContain(part);
});

it.each([{ exit: null }, { timedOut: true }, { exit: 2, problem: "no such rule" }])(
  "a ruff that could not judge is no verdict: %j",
  async (report) => {
    await expect(said(report)).rejects.toMatchObject({ code: "infra" });
  },
);
