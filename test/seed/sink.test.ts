import { describe, expect, it } from "vitest";
import { highestTestNumber, seedCommitMessage } from "../../runner/seed/seed.js";
import { checkSeed, type SeedDraft } from "../../runner/seed/sink.js";
import { prdSchema } from "../../runner/session/state/prd.js";
import { badEntries, badTests, entry } from "../helpers/bad-seeds.js";

function tests(...names: string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name, `# ${name}\n`]));
}

function draft(over: Partial<SeedDraft>): SeedDraft {
  return { prd: [entry()], testFiles: tests("test_t001_x.py"), meta: null, highestInBase: 0, allowGaps: true, ...over };
}

function problem(over: Partial<SeedDraft>): string {
  const answer = checkSeed(draft(over));
  return answer.ok ? "" : answer.problem;
}

describe("the sink", () => {
  it.each(badEntries)("refuses a task's entry: %s", (_, prd, named) => {
    expect(problem({ prd })).toContain(named);
  });

  it.each(badTests)("refuses tests: %s", (_, names, named) => {
    expect(problem({ testFiles: tests(...names) })).toContain(named);
  });

  it("refuses a task without a test, and an empty test", () => {
    expect(problem({ prd: [entry(), entry(2)] })).toContain("T-002");
    expect(problem({ testFiles: new Map([["test_t001_x.py", " \n"]]) })).toContain("test_t001_x.py");
    expect(problem({ testFiles: new Map([["test_t001_x.py", "#".repeat(2e6)]]) })).toContain("1 MB");
    expect(problem({ testFiles: new Map([["test_t001_x.py", "\ufeff# x\n"]]) })).toContain("byte order mark");
  });

  it("refuses ids that the base has, or that come before them", () => {
    const eight = { prd: [entry(8)], testFiles: tests("test_t008_x.py") };
    expect(problem({ highestInBase: 7 })).toMatch(/T-001.*T-008/);
    expect(problem({ ...eight, highestInBase: 8 })).toMatch(/T-008.*T-009/);
    expect(problem({ ...eight, highestInBase: 7, allowGaps: false })).toBe("");
  });

  it("accepts gaps from an interview, and refuses them in a seed written by hand", () => {
    const gap = { prd: [entry(1), entry(3)], testFiles: tests("test_t001_x.py", "test_t003_x.py") };
    expect(problem({ ...gap, allowGaps: true })).toBe("");
    expect(problem({ ...gap, allowGaps: false })).toMatch(/T-002.*T-003/);
  });

  it("refuses notes of the wrong shape", () => {
    expect(problem({ meta: [] })).toContain("seed-meta");
    expect(problem({ meta: { tldr: 5 } })).toContain("tldr");
    expect(problem({ meta: { blockers: "none" } })).toContain("blockers");
    expect(problem({ meta: { open_questions: [1] } })).toContain("open_questions");
  });

  it("names one problem at a time", () => {
    const said = problem({
      prd: [entry(1, { id: "T-bad", title: "", acceptance_criteria: [] })],
      testFiles: tests("x.py"),
    });
    expect(["T-bad", "title", "acceptance_criteria", "x.py"].filter((word) => said.includes(word))).toEqual(["T-bad"]);
  });
});

describe("a seed that the sink accepts", () => {
  it("has its tasks pending and without unknown keys, and the rest to the letter", () => {
    const odd = entry(2, { title: "  $& `x`\n", status: "nonsense" });
    const { status: _, ...none } = entry(3);
    const prd = [{ ...entry(1, { status: "done" }), notes: "x", priority: 1 }, odd, none];
    const answer = checkSeed(draft({ prd, testFiles: tests("test_t003_c.py", "test_t001_a.py", "test_t002_b.py") }));
    if (!answer.ok) throw new Error(answer.problem);
    expect(answer.seed.prd).toEqual([entry(1), { ...odd, status: "pending" }, entry(3)]);
    expect(prdSchema.parse(answer.seed.prd)).toEqual(answer.seed.prd);
    expect(answer.seed.tests.map((test) => [test.taskId, test.path])).toEqual([
      ["T-001", "tests/test_t001_a.py"],
      ["T-002", "tests/test_t002_b.py"],
      ["T-003", "tests/test_t003_c.py"],
    ]);
  });

  it("has missing and null notes made empty, and nothing added", () => {
    const answer = checkSeed(
      draft({ meta: { tldr: "- x", blockers: ["b"], scope_notes: null, interviewer_model: "by/hand" } }),
    );
    expect(answer).toMatchObject({ ok: true });
    expect(answer.ok && answer.seed.notes).toEqual({
      tldr: "- x",
      open_questions: [],
      blockers: ["b"],
      scope_notes: "",
    });
  });

  it("may have four-digit ids and ten criteria", () => {
    const criteria = Array.from({ length: 10 }, (_, index) => `c${index}`);
    const prd = [entry(1000, { acceptance_criteria: criteria })];
    expect(problem({ prd, testFiles: tests("test_t1000_x.py"), highestInBase: 999, allowGaps: false })).toBe("");
  });
});

it("taken numbers are read from the names of the base's seed tests alone", () => {
  const paths = [
    "tests/test_t007_old.py",
    "tests/test_t0012_x/data.txt",
    "tests/sub/test_t099_x.py",
    "tests/test_t98_x.py",
    "test_t999_x.py",
  ];
  expect(highestTestNumber(paths)).toBe(12);
  expect(highestTestNumber([])).toBe(0);
});

it("the seed's commit says how many tasks and tests it has", () => {
  expect(seedCommitMessage(3, 3)).toBe("seed: 3 tasks + 3 acceptance tests");
  expect(seedCommitMessage(1, 1)).toBe("seed: 1 task + 1 acceptance test");
});
