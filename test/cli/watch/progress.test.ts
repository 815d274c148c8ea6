import { expect, test } from "vitest";
import { Output } from "../../../cli/output/output.js";
import { aboutLimitWait, againIn } from "../../../cli/watch/limit-wait.js";
import { Progress } from "../../../cli/watch/progress.js";
import type { EventType, Payload } from "../../../runner/session/log/events.js";
import type { Prd } from "../../../runner/session/state/prd.js";
import { inTask, logOf, oid } from "../../session/event-fixtures.js";

const esc = "\u001b";
const task = { description: "d", acceptance_criteria: ["a"], status: "pending" as const };
const prd: Prd = [
  { ...task, id: "T-001", title: `Add${esc}[2J\nT-002 done` },
  { ...task, id: "T-002", title: "List" },
];
const at = inTask("T-001", 3);

/** The shown lines without the time in front. */
async function shown(...entries: { [T in EventType]: [T, Payload<T>] }[EventType][]): Promise<string[]> {
  let text = "";
  const sink = async (bytes: Buffer) => {
    text += bytes.toString();
  };
  const target = { sink, terminal: false, coloured: false, columns: () => Number.POSITIVE_INFINITY, rows: () => 24 };
  const output = new Output(target, target);
  const progress = new Progress(output, prd);
  for (const event of logOf(...entries)) progress.show(event);
  await output.drain(AbortSignal.abort());
  const lines = text.split("\n").slice(0, -1);
  for (const line of lines) expect(line).toMatch(/^\d\d:\d\d {2}/);
  return lines.map((line) => line.slice(7).trimEnd());
}

const verdict = { rejection_category: null, evidence: [], next_step: null };
const passing = { name: "ruff", passed: true, reason: null, output: "", ms: 1 };
const check = { ...at, tree: oid("1"), image: "sha256:1", expected: [], seen: [], integrity_notes: [], ms: 1234 };

test("a session is shown in lines that name tasks, calls, checks, verdicts and commits", async () => {
  const lines = await shown(
    ["context_reset", inTask("T-002", 0)],
    ["tool_call", { ...at, tool: "bash", call_id: "1", args: { command: "pytest -q\nrm -r x" } }],
    ["check_run", { ...check, passed: true, checks: [passing] }],
    [
      "evaluator_verdict",
      { ...at, tree: oid("1"), verdict: { ...verdict, verdict: "accept", concern: "" }, parse_failed: false },
    ],
    ["counter_check", { ...at, tree: oid("1"), passed: true, reached: 4, caught: [], left_out: [] }],
    ["commit", { ...at, sha: oid("b"), tree: oid("1") }],
    ["task_done", { ...at, sha: oid("b") }],
    ["stop", { reason: "all_done", detail: "", hint: "" }],
  );
  expect(lines).toEqual([
    "T-002 List (2 of 2)",
    "  3 bash pytest -q",
    "    check passed in 1.23 s",
    "    verdict: accept",
    "    counter-check passed: 4 assertions can fail",
    "    commit bbbbbbbbbb",
    "  T-001 done",
    "all tasks are done",
  ]);
});

/** The moment of this local time, in the form of a log. */
const local = (...time: readonly [number, number, number]) => new Date(2026, 10, 27, ...time).toISOString();

test("the end of a wait is shown with its date when that is another day", () => {
  const wait = { until: local(14, 5, 10), wait_ms: 15 * 3_600_000 };
  expect(aboutLimitWait(wait)).toMatch(/^waiting until 2026-11-27 14:05:10 \S+ for the model's limit$/);
  expect(aboutLimitWait({ ...wait, wait_ms: 60_000 })).toBe("waiting until 14:05:10 for the model's limit");
  expect(againIn("60", { ts: local(14, 4, 10), wait_ms: 60_000 })).toBe("again in 60 s, at 14:05:10");
  expect(againIn("9", { ts: local(14, 4, 10), wait_ms: 9_000 })).toBe("again in 9 s");
});

test("a failure is shown with its reason", async () => {
  const failed = { ...passing, name: "pytest", passed: false, reason: "test_failed" };
  const lines = await shown(
    [
      "check_run",
      { ...check, passed: false, checks: [passing, failed, { ...failed, name: "judge_files", reason: "judge_files" }] },
    ],
    [
      "evaluator_verdict",
      {
        ...at,
        tree: oid("1"),
        verdict: { ...verdict, verdict: "reject", rejection_category: "weak_test", concern: "thin" },
        parse_failed: false,
      },
    ],
    ["seed_test_not_red", { ...at, tests: ["tests/test_t001_a.py::test_a"] }],
    ["counter_check", { ...at, tree: oid("1"), passed: false, reached: 1, caught: ["a.py:1:4 t"], left_out: [] }],
    ["task_failed", { ...at, reason: "no_case", detail: "" }],
    ["model_retry", { phase: "worker", attempt: 1, reason: "status 500", wait_ms: 1500 }],
    ["limit_wait", { phase: "worker", reason: "no requests are left", wait_ms: 40_000, until: local(14, 5, 10) }],
    ["parameter_left_out", { phase: "worker", parameter: "temperature", sent_instead: null, reason: "HTTP 400: no" }],
    [
      "parameter_left_out",
      { phase: "worker", parameter: "max_completion_tokens", sent_instead: "max_tokens", reason: "HTTP 400: no" },
    ],
    ["context_folded", { ...at, why: "near_limit", folded: ["a", "b"], lines: ["", ""] }],
    ["stop", { reason: "infra", detail: "the engine is gone", hint: "start it" }],
  );
  expect(lines).toEqual([
    "    check failed: pytest (test_failed), judge_files",
    "    verdict: reject weak_test: thin",
    "    passed before the task began: tests/test_t001_a.py::test_a",
    "    counter-check failed: a.py:1:4 t",
    "  T-001 failed: no_case",
    "  model: status 500; again in 1.5 s",
    "  model: waiting until 14:05:10 for the model's limit (no requests are left)",
    "  model: temperature was refused, it is left out from now on (HTTP 400: no)",
    "  model: max_completion_tokens was refused, max_tokens is sent from now on (HTTP 400: no)",
    "  model: the context got long; older results shortened to one line each: 2",
    "stopped: infra (the engine is gone)",
  ]);
});

test("no model, repository or seed can act on the terminal or forge a line", async () => {
  const hostile = `${esc}]0;title\u0007x\r\u009b2J\u2028T-002 done\n  T-002 done`;
  const lines = await shown(
    ["context_reset", inTask("T-001", 0)],
    ["tool_call", { ...at, tool: hostile, call_id: "1", args: { command: hostile } }],
    ["case_parse_error", { ...at, error: hostile, raw: hostile }],
    [
      "evaluator_verdict",
      { ...at, tree: oid("1"), verdict: { ...verdict, verdict: "reject", concern: hostile }, parse_failed: false },
    ],
    ["proposed_learnings", { ...at, emitted: true, entry: hostile }],
    ["pre_tool_block", { ...at, tool: "bash", command: hostile, reason: hostile }],
    ["stop", { reason: "infra", detail: hostile, hint: hostile }],
  );
  expect(lines).toHaveLength(7);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/);
  expect(lines[0]).toBe("T-001 Add[2J T-002 done (1 of 2)");
});

test("a call whose arguments are no object, or are megabytes long, takes one short line", async () => {
  const lines = await shown(
    ["tool_call", { ...at, tool: "bash", call_id: "1", args: ["x"] }],
    ["tool_call", { ...at, tool: "write_file", call_id: "1", args: { path: "a".repeat(5_000_000) } }],
  );
  expect(lines[0]).toBe("  3 bash");
  expect(lines[1]?.length).toBeLessThan(150);
});
