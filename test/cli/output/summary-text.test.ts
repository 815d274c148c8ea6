import { expect, test } from "vitest";
import { sayEnd, summaryLines } from "../../../cli/output/summary-text.js";
import { commitId } from "../../../runner/base/ids.js";
import { type RunEnd, SessionStore } from "../../../runner/index.js";
import { SummaryRollup } from "../../../runner/session/summary/summary.js";
import { scratch } from "../../helpers/scratch.js";
import { inTask, logOf, modelCall, oid } from "../../session/event-fixtures.js";
import { HeardOutput } from "../heard-output.js";

const caps = {
  maxIterationsPerTask: 32,
  maxWallClockMinutes: 120,
  maxTokens: 1000,
  maxCostUsd: 2,
  maxEvaluatorCallsPerTask: null,
};

function summary() {
  const rollup = new SummaryRollup();
  const events = logOf(
    ["context_reset", inTask("T-001", 0)],
    ["model_call", modelCall("T-001", 1, { cost: 0.5 })],
    ["task_done", { ...inTask("T-001", 1), sha: oid("b") }],
    ["context_reset", inTask("T-1000", 0)],
    ["model_call", modelCall("T-1000", 1)],
  );
  for (const event of events) rollup.add(event);
  return rollup.summary(caps);
}

const end: RunEnd = {
  stop: { reason: "infra", detail: "the engine\nis gone", hint: "tilth resume it" },
  summary: summary(),
  executes: ["Makefile", "x\u001b[2J\nall tasks are done"],
  renamed: [],
  problem: null,
  cause: null,
};

async function said(over: Partial<RunEnd>, source: string = scratch()): Promise<string[]> {
  const files = new SessionStore(scratch()).create({ source: source as never, baseCommit: commitId(oid("a")) });
  files.appendLearning("T-001", "one");
  files.appendLearning("T-001", "two");
  const heard = new HeardOutput();
  sayEnd(heard.output, files, { ...end, ...over });
  expect(await heard.lines("progress")).toEqual([]);
  return heard.lines("results");
}

test("a summary says what was used, of which caps, and how each task went, in columns", () => {
  const lines = (columns: number) =>
    summaryLines(summary(), columns).map((line) => line.render({ coloured: false, columns: 80 }));
  expect(lines(71)).toEqual([
    "",
    "tokens 220 · $0.5000 · iterations 2",
    expect.stringMatching(/^used of the caps: tokens 22 % · cost 25 % · time [\d.]+ %$/),
    "most of one task: iterations 3.1 %",
    "",
    "task    outcome  iterations  checks failed  rejections  tokens  seconds",
    "T-001   done              1              0           0     110      2.0",
    "T-1000  pending           1              0           0     110      1.0",
  ]);
  expect(lines(70).slice(-3)).toEqual([
    "task    outcome  tokens  seconds",
    "T-001   done        110      2.0",
    "T-1000  pending     110      1.0",
  ]);
});

test("cached tokens, costs made from prices, and each role's share are shown when there are any", () => {
  const rollup = new SummaryRollup();
  const cached = { prompt_tokens: 200, cached_tokens: 150, cache_write_tokens: 20, reasoning_tokens: 3 };
  const events = logOf(
    ["model_call", modelCall("T-001", 1, { ...cached, cost: 0.5, cost_from: "prices" })],
    ["model_call", modelCall("T-001", 1, { phase: "evaluator", cost: 0.25, cost_from: "provider" })],
    ["model_call", modelCall("T-001", 1, { phase: "self_improve" })],
    ["commit", { ...inTask("T-001", 1), sha: oid("b"), tree: oid("c") }],
  );
  for (const event of events) rollup.add(event);
  const lines = summaryLines(rollup.summary(caps), 80).map((line) => line.render({ coloured: false, columns: 120 }));
  expect(lines.slice(1, 3)).toEqual([
    "tokens 430 · $0.7500 (1 of 3 calls by prices.json; without what nobody tells: self-improve) · iterations 1",
    "of the tokens: 150 cached, 20 written to the cache, 3 reasoning; 295 count for the cap",
  ]);
  expect(lines.slice(-2)).toEqual([
    "",
    "T-001 took worker 210 tokens, $0.5000 · evaluator 110 tokens, $0.2500 · self-improve 110 tokens",
  ]);
});

test("the table lists the tasks of the plan that have not begun", () => {
  const lines = summaryLines(summary(), 80, ["T-001", "T-002", "T-1000"]);
  expect(lines.slice(-3).map((line) => line.render({ coloured: false, columns: 80 }))).toEqual([
    "T-001   done              1              0           0     110      2.0",
    "T-002   pending",
    "T-1000  pending           1              0           0     110      1.0",
  ]);
});

test("the end of a run says why it stopped, the remedy, what to read first, and how to review", async () => {
  const lines = await said({}, "/src/it's");
  expect(lines).toContain("stopped: infra (the engine is gone)");
  expect(lines).toContain("  → tilth resume it");
  expect(lines).toContain("  Makefile");
  expect(lines).toContain("  x[2J all tasks are done");
  expect(lines).not.toContain("all tasks are done");
  expect(lines.some((line) => /^2 proposed learnings are in .*proposed-learnings\.md$/.test(line))).toBe(true);
  expect(lines.some((line) => /^review: git -C '\/src\/it'\\''s' log --stat a{12}\.\.session\//.test(line))).toBe(true);
  expect(lines.some((line) => /^merge: {2}git -C '\/src\/it'\\''s' merge session\/[\w-]+$/.test(line))).toBe(true);
});

test("the end of a run says when the worktree could not be made harmless", async () => {
  expect((await said({})).join("\n")).not.toContain("look before");
  const lines = await said({ problem: "the clerk container\nis gone" });
  expect(lines.join("\n")).toMatch(/^look before you run git .* \(the clerk container is gone\)$/m);
});

test("a run that finished every task says so", async () => {
  const lines = await said({ stop: { reason: "all_done", detail: "", hint: "" }, executes: [], renamed: ["a/.git"] });
  expect(lines).toContain("all tasks are done");
  expect(lines).toContain("renamed to make it harmless: a/.git");
  expect(lines.join("\n")).not.toContain("ordinary actions");
});
