import { writeFileSync } from "node:fs";
import { commitId, type HostPath, hostPath } from "../../runner/base/ids.js";
import { EventLog } from "../../runner/session/log/event-log.js";
import { readEvents } from "../../runner/session/log/event-reader.js";
import type { EventSink, TaskSpan } from "../../runner/session/log/events.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import { handWrittenMeta } from "../../runner/session/state/seed-meta.js";
import { SessionStore } from "../../runner/session/store.js";
import { SummaryRollup } from "../../runner/session/summary/summary.js";
import { oid } from "../session/event-fixtures.js";
import { loopSettings } from "./loop-settings.js";

export interface PageSession {
  readonly store: SessionStore;
  readonly files: SessionFiles;
}

const titles = ["Add and list", "Mark as done", "Keep in a file", "Priorities", "Export"];

export function emptySession(home: HostPath): PageSession {
  const store = new SessionStore(home);
  return { store, files: store.create({ source: hostPath("/code/todo"), baseCommit: commitId(oid("1")) }) };
}

/** Five tasks: three done (one after a failed check, one after a rejection), one failed, one not begun. */
export async function fiveTaskSession(home: HostPath): Promise<PageSession> {
  const session = emptySession(home);
  const { files } = session;
  const statuses = ["done", "done", "done", "failed", "pending"] as const;
  files.savePrd(
    titles.map((title, at) => ({
      id: taskId(at + 1),
      title,
      description: `What to do for ${title}.`,
      acceptance_criteria: [`${title} works`],
      status: statuses[at] ?? "pending",
    })),
  );
  const notes = { tldr: "- A todo list\n- in five steps", open_questions: ["What about dates?"], blockers: [] };
  files.saveSeedMeta({
    ...handWrittenMeta({ ...notes, scope_notes: "Nothing shared." }, new Date(0)),
    interviewer_model: "some-interviewer",
    tokens: { prompt: 20_000, completion: 500, total: 20_500 },
  });
  {
    using log = EventLog.open(files.paths.events, (text) => text);
    tell(log, files);
  }
  files.updateCheckpoint({ status: "failed" });
  const rollup = new SummaryRollup();
  for await (const event of readEvents(files.paths.events)) rollup.add(event);
  const { caps } = loopSettings("", { maxTokens: 1_000_000 });
  files.saveSummary(rollup.summary(caps));
  return session;
}

function tell(log: EventSink, { id }: SessionFiles): void {
  const start = { session: id, source: "/code/todo", base_commit: oid("1"), version: "0.1.0", image: null };
  log.append("session_start", { phase: "seed", ...start, author: "Ada <ada@example.org>" });
  log.append("red_check", {
    tree: oid("2"),
    at: "staging",
    tests: { "tests/test_t001_a.py::test_a": "import" },
    opened: [],
  });
  log.append("seed_committed", { sha: oid("3"), tree: oid("2") });
  log.append("session_prepared", { prd_entries: 5, test_files: 5, interviewer_model: null, tokens_used: 0 });
  log.append("session_start", { phase: "run", ...start, author: null });
  beginTask(log, 1);
  writeAndSubmit(log, 1, 1);
  judge(log, 1, 1, true);
  beginTask(log, 2);
  writeAndSubmit(log, 2, 1);
  check(log, 2, 1, false);
  writeAndSubmit(log, 2, 2);
  judge(log, 2, 2, true);
  beginTask(log, 3);
  writeAndSubmit(log, 3, 1);
  judge(log, 3, 1, false);
  writeAndSubmit(log, 3, 2);
  judge(log, 3, 2, true);
  beginTask(log, 4);
  for (let iter = 1; iter <= 60; iter += 1) lookAround(log, 4, iter);
  log.append("hands_lost", { ...spanOf(4, 60), role: "work", during: "bash", detail: "the container was killed" });
  log.append("task_failed", { ...spanOf(4, 60), reason: "iter_cap", detail: "60 iterations were spent" });
  log.append("left_behind", { executes: ["Makefile"], renamed: [], problem: null });
  log.append("stop", { reason: "iter_cap", detail: "T-004 failed", hint: `tilth resume ${id}` });
}

export function taskId(n: number): string {
  return `T-00${n}`;
}

export function spanOf(n: number, iter: number): TaskSpan {
  const id = taskId(n);
  return { task_id: id, trace_id: `${n}`.repeat(32), span_id: `${n}${String(iter).padStart(15, "0")}`, iter };
}

export function beginTask(log: EventSink, n: number): void {
  log.append("context_reset", spanOf(n, 0));
  const use = { present: true, chars: 12, truncated: false, sha256_8: "0".repeat(8) };
  log.append("memory_load", { ...spanOf(n, 0), role: "worker", channels: { task: use } });
  log.append("prompt_assembled", { ...spanOf(n, 0), role: "worker", content: `Do task ${n}.`, chars: 10 });
}

export function modelReply(log: EventSink, n: number, iter: number, reasoning: string | null = null): void {
  log.append("model_call", {
    ...spanOf(n, iter),
    phase: "worker",
    attempt: 1,
    model: "some-worker",
    prompt_tokens: 1_000,
    cached_tokens: 800,
    cache_write_tokens: 100,
    eval_tokens: 50,
    reasoning_tokens: 20,
    estimated: false,
    cost: 0.001,
    tokens_used_total: 0,
    finish_reason: "tool_calls",
    reasoning,
    content: null,
    calls: [],
    ms: 1_200,
  });
}

function lookAround(log: EventSink, n: number, iter: number): void {
  modelReply(log, n, iter, `thinking about ${iter}`);
  const call = { tool: "bash", call_id: `look-${n}-${iter}` };
  log.append("tool_call", { ...spanOf(n, iter), ...call, args: { command: `grep -rn word_${iter} .` } });
  log.append("hook_run", { ...spanOf(n, iter), hook: "pre_tool", tool: "bash", outcome: "allow", output: "" });
  log.append("tool_result", { ...spanOf(n, iter), ...call, content: `exit code 1\nneedle-${iter}`, ms: 12 });
}

function writeAndSubmit(log: EventSink, n: number, iter: number): void {
  modelReply(log, n, iter, "first read, then write");
  const edit = { tool: "edit_file", call_id: `edit-${n}-${iter}` };
  const args = { path: "todo/cli.py", old_string: "a = 1\nb = 2\n", new_string: "a = 1\nb = 3\n" };
  log.append("tool_call", { ...spanOf(n, iter), ...edit, args });
  log.append("tool_result", { ...spanOf(n, iter), ...edit, content: "edited todo/cli.py", ms: 3 });
  const submit = { tool: "submit_case", call_id: `case-${n}-${iter}` };
  const coverage = [{ criterion: "1", addressed_by: "todo/cli.py:main", evidence: "tests/test_a.py" }];
  const given = {
    summary: `The case of ${n}`,
    ac_coverage: coverage,
    work_arounds: ["a detour"],
    uncertainties: ["a doubt"],
  };
  log.append("tool_call", { ...spanOf(n, iter), ...submit, args: given });
  log.append("tool_result", { ...spanOf(n, iter), ...submit, content: "looked at", ms: 900 });
}

function check(log: EventSink, n: number, iter: number, passed: boolean): void {
  const id = `tests/test_t00${n}_a.py::test_a`;
  const output = passed ? "1 passed in 0.01s" : "E   AssertionError: assert 0 == 1\n1 failed in 0.01s";
  log.append("check_run", {
    ...spanOf(n, iter),
    tree: oid("4"),
    image: "sha256:0",
    passed,
    checks: [
      { name: "ruff", passed: true, reason: null, output: "All checks passed!", ms: 19 },
      { name: "pytest", passed, reason: passed ? null : "test_failed", output, ms: 100 },
    ],
    expected: [id],
    seen: [{ id, outcome: passed ? "passed" : "failed" }],
    integrity_notes: [],
    ms: 130,
  });
}

function judge(log: EventSink, n: number, iter: number, accepted: boolean): void {
  check(log, n, iter, true);
  const diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old line\n+new line\n";
  const content = `Judge this.\n${diff}The end.`;
  log.append("prompt_assembled", { ...spanOf(n, iter), role: "evaluator", content, chars: content.length });
  const said = accepted
    ? { verdict: "accept", rejection_category: null, concern: "none worth naming", evidence: [], next_step: null }
    : {
        verdict: "reject",
        rejection_category: "acceptance_gap",
        concern: "an empty file is not handled",
        evidence: ["todo/store.py:12"],
        next_step: "handle it in todo/store.py",
      };
  const verdict = said as { verdict: "accept" | "reject"; rejection_category: "acceptance_gap" | null } & typeof said;
  log.append("evaluator_verdict", { ...spanOf(n, iter), tree: oid("4"), verdict, parse_failed: false });
  if (!accepted) return;
  const passed = { tree: oid("4"), passed: true, reached: 3, caught: [], left_out: ["line 4: in a thread"] };
  log.append("counter_check", { ...spanOf(n, iter), ...passed });
  log.append("proposed_learnings", { ...spanOf(n, iter), emitted: true, entry: `learned from ${n}` });
  const commit = { sha: oid(`${n + 4}`), tree: oid("4") };
  log.append("commit_prepared", { ...spanOf(n, iter), ...commit });
  log.append("commit", { ...spanOf(n, iter), ...commit });
  log.append("task_done", { ...spanOf(n, iter), sha: commit.sha });
}

/** Appends one more line to the log, whatever it holds. */
export function appendRaw({ files }: PageSession, line: string): void {
  writeFileSync(files.paths.events, line, { flag: "a" });
}
