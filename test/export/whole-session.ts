import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import { logOf, modelCall, oid } from "../session/event-fixtures.js";

type Entry = { [T in EventType]: [T, Payload<T>] }[EventType];

/** Stands in every field that holds something said, shown or run. */
export const said = "WHAT WAS SAID";

const start = {
  session: "s",
  source: "/src",
  base_commit: oid("0"),
  version: "0.1.0",
  image: "sha256:1",
  author: null,
};

/** The span of the nth time that a task is taken up. */
export function at(task: string, attempt: number, iter: number) {
  const trace = `${task.slice(-1)}${attempt}`;
  return {
    task_id: task,
    trace_id: trace.repeat(16),
    span_id: `${trace}${String(iter).padStart(2, "0")}`.repeat(4),
    iter,
  };
}

type Span = ReturnType<typeof at>;

function call(span: Span | { iter: number }, over: Partial<Payload<"model_call">> = {}): Entry {
  const { task_id: _, trace_id: __, span_id: ___, ...rest } = modelCall("T-001", 0);
  const words = { content: said, reasoning: said, calls: [{ id: "c", name: "bash", arguments: said }] };
  return ["model_call", { ...rest, ...words, ms: 500, ...span, ...over }];
}

function tool(span: Span | { iter: number }, name: string, id: string, inside: readonly Entry[] = []): Entry[] {
  const ms = 1000 * inside.length + 800.25;
  return [
    ["tool_call", { ...span, tool: name, call_id: id, args: { command: said } }],
    ...inside,
    ["tool_result", { ...span, tool: name, call_id: id, content: said, ms }],
  ];
}

function check(span: Span, passed: boolean): Entry {
  const one = { name: "pytest", passed, reason: passed ? null : "test_failed", output: said, ms: 300.5 };
  return [
    "check_run",
    {
      ...span,
      tree: oid("1"),
      image: "sha256:1",
      passed,
      checks: [{ ...one, name: "ruff", passed: true, reason: null }, one],
      expected: ["tests/test_t001.py::test_it"],
      seen: [{ id: "tests/test_t001.py::test_it", outcome: passed ? "passed" : "failed" }],
      integrity_notes: [said],
      ms: 420,
    },
  ];
}

function verdict(span: Span, category: "weak_test" | null): Entry[] {
  const words = { concern: said, evidence: [said], next_step: category && said, rejection_category: category };
  const given = { ...words, verdict: category === null ? ("accept" as const) : ("reject" as const) };
  const given_case = { summary: said, ac_coverage: [], work_arounds: [said], uncertainties: [said] };
  const entry = { ts: "2025-01-01T00:00:00Z", iter: 1, diff_summary: said, case: given_case, verdict: given };
  return [
    ["prompt_assembled", { ...span, role: "evaluator", content: said, chars: said.length }],
    ["model_retry", { ...span, phase: "evaluator", attempt: 1, reason: "HTTP 503", wait_ms: 500 }],
    call(span, {
      phase: "evaluator",
      model: "judge-2",
      model_asked: "judge",
      cost: 0.25,
      cost_from: "prices",
      cached_tokens: 60,
      reasoning_tokens: 4,
      estimated: true,
    }),
    ["evaluator_verdict", { ...span, tree: oid("1"), verdict: given, parse_failed: false }],
    ["ledger_appended", { ...span, entry }],
  ];
}

function takenUp(span: Span): Entry[] {
  return [
    ["context_reset", span],
    ["memory_load", { ...span, role: "worker", channels: {} }],
    ["prompt_assembled", { ...span, role: "worker", content: said, chars: said.length }],
  ];
}

function committed(span: Span): Entry[] {
  return [
    ["commit", { ...span, sha: oid("2"), tree: oid("1") }],
    ["task_done", { ...span, sha: oid("2") }],
  ];
}

const counted = (span: Span): Entry => [
  "counter_check",
  { ...span, tree: oid("1"), passed: true, reached: 3, caught: [], left_out: [said] },
];

const suite = {
  ...{
    tree: oid("1"),
    at: "staging" as const,
    environment: "k",
    runs: 2,
    passed: 3,
    failed: 1,
    unstable: 0,
    skipped: 0,
  },
  ...{ held: { [said]: [said] }, failing: [said], unsteady: [], left_out: [], in_code: [], not_run: [], problem: null },
  ms: 5,
};

const suiteRun = (span: Span): Entry => [
  "suite_run",
  {
    ...{
      ...span,
      tree: oid("1"),
      last: oid("0"),
      passed: true,
      ran: 3,
      failed: [],
      changed: [said],
      gone: [],
      joined: [said],
    },
    ...{ rewritten: [said], outdated: [], excused: [], not_run: [], ms: 5 },
  },
];

const environment = {
  ...{ key: "k", tree: null, dependencies: null, from_source: [], version: null, taken: [said], packages: 1 },
  ...{ python: "3", pytest: "9", lock: "l", built: true, said: [said], ms: 5 },
};

const interview: readonly Entry[] = [
  ["session_start", { ...start, phase: "prep-feature" }],
  [
    "isolation_receipt",
    { role: "read", image: "i", runtime: "runc", passed: true, items: [], left_out: [], open_to: [] },
  ],
  ["environment", environment],
  ["prompt_assembled", { iter: 0, role: "interview", content: said, chars: 3 }],
  call({ iter: 1 }, { phase: "interview" }),
  ...tool({ iter: 1 }, "ask_user", "a"),
  ["model_retry", { iter: 2, phase: "interview", attempt: 1, reason: "HTTP 429", wait_ms: 500 }],
  ["model_retry", { iter: 2, phase: "interview", attempt: 2, reason: "HTTP 429", wait_ms: 900 }],
  call({ iter: 2 }, { phase: "interview" }),
  ...tool({ iter: 2 }, "write_seed", "b", [
    ["red_check", { tree: oid("0"), at: "staging", tests: { "tests/test_t001.py::test_it": said }, opened: [] }],
    ["base_suite", suite],
    ["seed_committed", { sha: oid("3"), tree: oid("1") }],
  ]),
  ["session_prepared", { prd_entries: 2, test_files: 2, interviewer_model: "m", tokens_used: 9 }],
];

const one = (iter: number) => at("T-001", 1, iter);
const two = (iter: number) => at("T-002", 1, iter);
const again = (iter: number) => at("T-002", 2, iter);
const third = (iter: number) => at("T-002", 3, iter);

/** T-001 fails a check, is rejected and accepted; T-002 ends without a case. */
const run: readonly Entry[] = [
  ["session_start", { ...start, phase: "run" }],
  ...takenUp(one(0)),
  call(one(1)),
  ["red_check", { ...one(0), tree: oid("0"), at: "task", tests: { "tests/test_t001.py::test_it": said }, opened: [] }],
  ["seed_test_not_red", { ...one(0), tests: ["tests/test_t001.py::test_other"] }],
  [
    "isolation_receipt",
    { role: "work", image: "i", runtime: "runc", passed: true, items: [], left_out: [], open_to: [] },
  ],
  ...tool(one(1), "bash", "a", [
    ["hook_run", { ...one(1), hook: "pre_tool", tool: "bash", outcome: "block", output: said }],
    ["pre_tool_block", { ...one(1), tool: "bash", command: said, reason: "no forced push" }],
  ]),
  ...tool(one(1), "bash", "b", [
    ["egress", { ...one(1), host: "h", port: 443, allowed: true, refusal: null, bytes_out: 1, bytes_in: 2, ms: 3 }],
    ["hands_lost", { ...one(1), role: "work", during: "bash", detail: "it went away" }],
    ["hands_restarted", { ...one(1), role: "work" }],
  ]),
  ["calls_not_run", { ...one(1), count: 3, why: "too_many", content: said }],
  ["empty_model_response", { ...one(2), phase: "worker", in_a_row: 1 }],
  [
    "limit_wait",
    { ...one(3), phase: "worker", reason: "no requests are left", wait_ms: 40_000, until: "2025-01-01T00:01:00Z" },
  ],
  ["parameter_left_out", { ...one(3), phase: "worker", parameter: "usage", sent_instead: null, reason: "HTTP 400" }],
  call(one(3)),
  ...tool(one(3), "submit_case", "c", [["case_parse_error", { ...one(3), error: said, raw: said }]]),
  call(one(4)),
  ...tool(one(4), "submit_case", "d", [check(one(4), false)]),
  call(one(5)),
  ...tool(one(5), "submit_case", "e", [check(one(5), true), ...verdict(one(5), "weak_test")]),
  ["context_folded", { ...one(6), why: "full", folded: ["a"], lines: [said] }],
  call(one(6)),
  ...tool(one(6), "submit_case", "f", [
    check(one(6), true),
    ["evaluator_parse_error", { ...one(6), attempt: 1, error: said, raw: said }],
    ...verdict(one(6), null),
    suiteRun(one(6)),
    counted(one(6)),
  ]),
  call(one(6), { phase: "self_improve" }),
  ["proposed_learnings", { ...one(6), emitted: true, entry: said }],
  ["commit_prepared", { ...one(6), sha: oid("2"), tree: oid("1") }],
  ...committed(one(6)),
  ...takenUp(two(0)),
  call(two(1)),
  ["task_failed", { ...two(1), reason: "no_case", detail: "the worker stopped calling tools 3 times in a row" }],
  ["left_behind", { executes: ["Makefile"], renamed: [], problem: null }],
  ["stop", { reason: "no_case", detail: "the worker stopped calling tools 3 times in a row", hint: "" }],
];

const resumed = (retried: string[]): Entry => [
  "session_resume",
  { last_stop: null, retried, pending: [], reconciled: [], plan: [], image: "sha256:1", image_before: null },
];

/** T-002 again: the process is killed while a tool is at work. */
const killed: readonly Entry[] = [
  resumed(["T-002"]),
  ...takenUp(again(0)),
  call(again(1)),
  ["tool_call", { ...again(1), tool: "bash", call_id: "a", args: { command: said } }],
];

/** T-002 a third time: accepted, and killed once more when the branch has moved and the log does not say so yet. */
const killedLater: readonly Entry[] = [
  ["torn_tail", { bytes: 7 }],
  ["lock_taken_over", { holder: {}, reason: "its process is gone" }],
  resumed([]),
  ...takenUp(third(0)),
  call(third(1)),
  ...tool(third(1), "submit_case", "b", [check(third(1), true), ...verdict(third(1), null), counted(third(1))]),
  ["commit_prepared", { ...third(1), sha: oid("2"), tree: oid("1") }],
];

const mended: readonly Entry[] = [
  ["lock_taken_over", { holder: {}, reason: "its process is gone" }],
  ...committed(third(1)),
  resumed([]),
  ["stop", { reason: "all_done", detail: "", hint: "" }],
];

/** An interview, a run, a failure, a resumption, a kill and another resumption: every type of event is in it. */
export const wholeSession: readonly TilthEvent[] = logOf(...interview, ...run, ...killed, ...killedLater, ...mended);
export const interviewOnly: readonly TilthEvent[] = logOf(...interview.slice(0, -1));
