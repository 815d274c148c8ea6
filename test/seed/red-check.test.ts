import { expect, it } from "vitest";
import { treeId } from "../../runner/base/ids.js";
import type { RedReport, RedRequest } from "../../runner/hands/ports/checks/checks.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import { checkRed } from "../../runner/seed/red-check.js";
import type { Seed } from "../../runner/seed/seed.js";
import { honestRun } from "../helpers/check-reports.js";

const path = "tests/test_t001_x.py";
const id = `${path}::test_x`;
const seed: Seed = {
  prd: [],
  tests: [{ taskId: "T-001", name: "test_t001_x.py", path, source: "def test_x():\n    assert False\n" }],
  notes: { tldr: "", open_questions: [], blockers: [], scope_notes: "" },
};

function tried(outcome: "failed" | "passed"): RedReport {
  const test = { id, keepGreen: null, alwaysLeftOut: false, asserts: true, criteria: [] };
  const pytest = { ...honestRun, results: [{ id, outcome, text: "E   assert False" }], droppedOptions: ["--cov"] };
  return { facts: [{ path, problem: "", tests: [test], assertions: [] }], runs: [{ path, pytest }], declared: [] };
}

function check(red: (request: RedRequest) => Promise<RedReport>) {
  const { signal } = new AbortController();
  const tree = treeId("a".repeat(40));
  return checkRed(seed, { tree, checks: { red }, timeoutMs: 1, thenSuite: false, say: () => undefined, signal });
}

it("the red check says why each test is red, and what a person should know", async () => {
  const remarks = ["checks leave out these pytest options of the project: --cov"];
  expect(await check(async () => tried("failed"))).toEqual({
    ok: true,
    opened: [],
    tests: { [id]: "assertion" },
    remarks,
  });
});

it("the red check refuses a seed whose test passes already", async () => {
  expect(await check(async () => tried("passed"))).toMatchObject({ ok: false, problem: expect.stringContaining(id) });
});

it("a container lost twice is blamed on the test that ran there, and other trouble is not", async () => {
  const lost = await check(() => Promise.reject(new HandsLost("check", "gone")));
  expect(lost).toMatchObject({ ok: false, problem: expect.stringContaining("container") });
  await expect(check(() => Promise.reject(new Error("engine")))).rejects.toThrow("engine");
});
