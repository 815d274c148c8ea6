import { expect, test } from "vitest";
import { frameOf } from "../../../cli/watch/frame.js";
import { RunState } from "../../../cli/watch/run-state.js";
import type { EventType, Payload, TilthEvent } from "../../../runner/session/log/events.js";
import type { Prd } from "../../../runner/session/state/prd.js";
import { noUsage } from "../../../runner/session/summary/usage.js";
import { inTask, logOf, modelCall, oid } from "../../session/event-fixtures.js";

const caps = {
  maxIterationsPerTask: 32,
  maxWallClockMinutes: 120,
  maxTokens: 2_000_000,
  maxCostUsd: 2,
  maxEvaluatorCallsPerTask: null,
};

function plan(count: number): Prd {
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  return numbers.map((number) => ({
    id: `T-${String(number).padStart(3, "0")}`,
    title: `Part ${number}`,
    description: "d",
    acceptance_criteria: ["a"],
    status: number < 11 ? "done" : "pending",
  }));
}

type Entry = { [T in EventType]: [T, Payload<T>] }[EventType];

function heard(prd: Prd, ...entries: readonly Entry[]): RunState {
  const state = new RunState({ prd, used: { ...noUsage(), total_tokens: 1_234 } }, 0);
  for (const event of logOf(...entries)) state.heard(event, 5_000);
  return state;
}

function shown(state: RunState, columns: number, rows: number): string[] {
  const frame = { state, caps, ms: 3_723_000, doingMs: 9_000 };
  const lines = frameOf(frame, { columns, rows });
  return lines.map((line) => line.render({ coloured: false, columns }));
}

const at = inTask("T-011", 3);

test("a long plan is shown around the task in work, with how much more there is", () => {
  const state = heard(plan(30), ["context_reset", inTask("T-011", 0)]);
  expect(shown(state, 80, 12)).toEqual([
    "─".repeat(80),
    "… 9 more above, 9 done",
    "✓ T-010 Part 10",
    "● T-011 Part 11",
    "  iteration 0 of 32 · 00:09 · preparing the task",
    "○ T-012 Part 12",
    "○ T-013 Part 13",
    "○ T-014 Part 14",
    "… 16 more below",
    "time 1:02:03 (51 % of 120 min) · tokens 1,234 (0 % of 2,000,000)",
  ]);
});

test("tokens are counted as their cap counts them, and cached ones are shown where there is room", () => {
  const call = modelCall("T-011", 3, { prompt_tokens: 10_000, cached_tokens: 9_000, reasoning_tokens: 7, cost: 1 });
  const state = heard(plan(30), ["model_call", call]);
  expect(shown(state, 200, 24).at(-1)).toBe(
    "time 1:02:03 (51 % of 120 min) · tokens 3,144 (0 % of 2,000,000) · cost $1.0000 (50 % of $2) · 9,000 cached, 7 reasoning",
  );
  expect(shown(state, 100, 24).at(-1)).toBe(
    "time 1:02:03 (51 % of 120 min) · tokens 3,144 (0 % of 2,000,000) · cost $1.0000 (50 % of $2)",
  );
});

test.each([200, 100, 80, 60, 40, 20])("the view fits a window of %i columns", (columns) => {
  const state = heard(plan(30), ["context_reset", at], ["model_call", modelCall("T-011", 3, { cost: 1 })]);
  for (const rows of [50, 24, 10, 8, 7, 4]) {
    const lines = shown(state, columns, rows);
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
    expect(lines.length, `${rows} rows`).toBeLessThan(rows);
  }
});

const verdict = { rejection_category: null, concern: "", evidence: [], next_step: null };

test.each<[string, readonly Entry[]]>([
  ["the model is thinking", [["prompt_assembled", { ...at, role: "worker", content: "", chars: 0 }]]],
  ["bash pytest -q", [["tool_call", { ...at, tool: "bash", call_id: "1", args: { command: "pytest -q\nls" } }]]],
  ["running the checks", [["tool_call", { ...at, tool: "submit_case", call_id: "1", args: { summary: "s" } }]]],
  ["the model is thinking", [["tool_result", { ...at, tool: "bash", call_id: "1", content: "", ms: 1 }]]],
  [
    "asking the model again in 3 s: 429",
    [["model_retry", { ...at, phase: "worker", attempt: 1, reason: "429", wait_ms: 2_100 }]],
  ],
  [
    "waiting until 14:05:10 for the model's limit",
    [
      [
        "limit_wait",
        {
          ...at,
          phase: "worker",
          reason: "no requests are left",
          wait_ms: 2_100,
          until: new Date(2026, 10, 27, 14, 5, 10).toISOString(),
        },
      ],
    ],
  ],
  ["the evaluator is reading the change", [["prompt_assembled", { ...at, role: "evaluator", content: "", chars: 0 }]]],
  [
    "running the last checks",
    [["evaluator_verdict", { ...at, tree: oid("1"), verdict: { ...verdict, verdict: "accept" }, parse_failed: false }]],
  ],
  ["starting a new work container", [["hands_lost", { ...at, role: "work", during: null, detail: "" }]]],
])("the view shows as the current activity: %s", (what, entries) => {
  const state = heard(plan(30), ["context_reset", inTask("T-011", 0)], ...entries);
  expect(shown(state, 80, 24).join("\n")).toContain(`  iteration 3 of 32 · 00:09 · ${what}\n`);
});

test("a wait that no cap counts is left out of the time shown, while it lasts and after it", () => {
  const state = new RunState({ prd: plan(30), used: noUsage() }, 0);
  const wait = { phase: "worker" as const, reason: "HTTP 429", wait_ms: 60_000, until: "2026-11-27T14:05:10.000Z" };
  const [counted, uncounted, red, call] = logOf(
    ["limit_wait", wait],
    ["limit_wait", { ...wait, uncounted: true }],
    ["red_check", { ...inTask("T-011", 0), tree: oid("1"), at: "task", tests: {}, opened: [] }],
    ["model_call", modelCall("T-011", 3)],
  );
  const outside: number[] = [];
  const hear = (event: TilthEvent | undefined, now: number) => {
    if (event) state.heard(event, now);
    outside.push(state.outsideMs(now));
  };
  hear(counted, 1_000);
  hear(uncounted, 61_000);
  hear(undefined, 91_000);
  // beside the first question of a task
  hear(red, 101_000);
  hear(call, 121_000);
  hear(undefined, 500_000);
  expect(outside).toEqual([0, 0, 30_000, 40_000, 60_000, 60_000]);
});

test("an arriving reply ends a wait that no cap counts, whatever was lost meanwhile", () => {
  const state = new RunState({ prd: plan(30), used: noUsage() }, 0);
  const wait = { phase: "worker" as const, reason: "HTTP 429", wait_ms: 60_000, until: "2026-11-27T14:05:10.000Z" };
  const [waiting, lost] = logOf(
    ["limit_wait", { ...wait, uncounted: true }],
    ["hands_lost", { role: "work", during: null, detail: "", asleep: true }],
  ) as [TilthEvent, TilthEvent];
  state.heard(waiting, 1_000);
  state.heard(lost, 2_000);
  expect(state.outsideMs(61_000)).toBe(60_000);
  state.arriving(5, 61_000);
  expect(state.outsideMs(90_000)).toBe(60_000);
});

test("an event from earlier in the task does not set the iteration back, and the next task starts at zero", () => {
  const red = { ...inTask("T-011", 0), tree: oid("1"), at: "task" as const, tests: {}, opened: [] };
  const state = heard(plan(30), ["model_call", modelCall("T-011", 4)], ["red_check", red]);
  expect(state.iteration).toBe(4);
  state.heard(logOf(["context_reset", inTask("T-012", 0)])[0] as never, 0);
  expect(state.iteration).toBe(0);
});

const thinking: Entry = ["prompt_assembled", { ...at, role: "worker", content: "", chars: 0 }];
const again: Entry = ["model_retry", { ...at, phase: "worker", attempt: 1, reason: "429", wait_ms: 2_100 }];

test("the view says how much of a reply has come, and in a narrow window only that", () => {
  const state = heard(plan(30), ["context_reset", inTask("T-011", 0)], thinking);
  const activity = (columns: number) => shown(state, columns, 24).find((line) => line.includes("00:09"));
  state.arriving(12, 6_000);
  expect(activity(80)).toBe("  iteration 3 of 32 · 00:09 · the model is thinking · 12 characters so far");
  state.arriving(12_345, 6_000);
  expect(activity(80)).toBe("  iteration 3 of 32 · 00:09 · the model is thinking · 12,345 characters so far");
  expect(activity(40)).toBe("  3/32 · 00:09 · 12,345 characters");
  expect(state.since).toBe(5_000);
  for (const event of logOf(["model_call", modelCall("T-011", 3)])) state.heard(event, 7_000);
  expect(activity(80)).toBe("  iteration 3 of 32 · 00:09 · the model is thinking");
});

test("an arriving reply replaces the line about asking again", () => {
  const state = heard(plan(30), ["context_reset", inTask("T-011", 0)], thinking);
  state.arriving(12, 6_000);
  for (const event of logOf(again, again)) state.heard(event, 7_000);
  expect([state.doing, state.arrived]).toEqual(["asking the model again in 3 s: 429", 0]);
  state.arriving(5, 8_000);
  expect([state.doing, state.arrived, state.since]).toEqual(["the model is thinking", 5, 8_000]);
  state.arriving(6, 9_000);
  expect([state.doing, state.since]).toEqual(["the model is thinking", 8_000]);
});
