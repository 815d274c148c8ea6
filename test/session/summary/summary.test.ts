import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Log } from "../../../cli/page/browser/log/log.js";
import type { Verdict } from "../../../runner/session/log/events/verdicts.js";
import type { Payload } from "../../../runner/session/log/events.js";
import { SummaryRollup, summarise } from "../../../runner/session/summary/summary.js";
import { summarySchema } from "../../../runner/session/summary/summary-schema.js";
import type { Caps } from "../../../runner/settings/settings.js";
import { toolLooks } from "../../../runner/tools/roles.js";
import { scratch } from "../../helpers/scratch.js";
import { asLines, inTask, logOf, modelCall, oid } from "../event-fixtures.js";

const caps: Caps = {
  maxIterationsPerTask: 32,
  maxWallClockMinutes: 1,
  maxTokens: 1000,
  maxCostUsd: 2,
  maxEvaluatorCallsPerTask: null,
};

const start = { session: "s", source: "/src", base_commit: oid("0"), version: "0", image: null, author: null };

function check(passed: boolean, iter: number, notes: string[] = []): Payload<"check_run"> {
  const one = { name: "pytest", passed, reason: passed ? null : "test_failed", output: "", ms: 1 };
  return {
    ...inTask("T-001", iter),
    tree: oid("1"),
    image: "i",
    passed,
    checks: [one],
    expected: [],
    seen: [],
    integrity_notes: notes,
    ms: 9,
  };
}

function verdict(category: "scope_creep" | "weak_test" | null, iter: number): Payload<"evaluator_verdict"> {
  const said = { concern: "c", evidence: [], next_step: category && "n", rejection_category: category };
  const verdict = { ...said, verdict: category === null ? ("accept" as const) : ("reject" as const) };
  return { ...inTask("T-001", iter), tree: oid("1"), verdict, parse_failed: false };
}

/** One task failed a check, was rejected twice and got a case wrong before it was accepted; then one fails. */
const story = logOf(
  ["session_start", { ...start, phase: "seed" }],
  ["session_start", { ...start, phase: "run" }],
  ["context_reset", inTask("T-001", 0)],
  ["model_call", modelCall("T-001", 1, { cost: 0.5, cost_from: "provider", cached_tokens: 61, reasoning_tokens: 4 })],
  ["tool_call", { ...inTask("T-001", 1), tool: "bash", call_id: "a", args: {} }],
  ["tool_call", { ...inTask("T-001", 1), tool: "__proto__", call_id: "b", args: {} }],
  ["hook_run", { ...inTask("T-001", 1), hook: "pre_tool", tool: "bash", outcome: "allow", output: "" }],
  ["hook_run", { ...inTask("T-001", 1), hook: "pre_tool", tool: "bash", outcome: "block", output: "" }],
  ["case_parse_error", { ...inTask("T-001", 1), error: "e", raw: "" }],
  ["model_call", modelCall("T-001", 2, { estimated: true })],
  ["check_run", check(false, 2, ["note", "note"])],
  ["model_call", modelCall("T-001", 3)],
  ["check_run", check(true, 3, ["note"])],
  ["model_call", modelCall("T-001", 3, { phase: "evaluator", cost: 0.25, cost_from: "prices", cache_write_tokens: 9 })],
  ["evaluator_verdict", verdict("scope_creep", 3)],
  ["evaluator_verdict", verdict("weak_test", 4)],
  ["evaluator_verdict", verdict("scope_creep", 5)],
  ["evaluator_verdict", verdict(null, 6)],
  ["proposed_learnings", { ...inTask("T-001", 6), emitted: true, entry: "x" }],
  ["commit", { ...inTask("T-001", 6), sha: oid("2"), tree: oid("1") }],
  ["task_done", { ...inTask("T-001", 6), sha: oid("2") }],
  ["context_reset", inTask("T-002", 0)],
  ["model_call", modelCall("T-002", 1)],
  ["task_failed", { ...inTask("T-002", 1), reason: "iter_cap", detail: "" }],
  ["stop", { reason: "iter_cap", detail: "d", hint: "h" }],
);

function rolledUp(events = story) {
  const rollup = new SummaryRollup();
  for (const event of events) rollup.add(event);
  return summarySchema.parse(rollup.summary(caps));
}

describe("a summary", () => {
  it("adds up tokens and cost by role and by task, and unknown cost stays unknown", () => {
    const { usage, usage_by_role: roles, tasks, iterations } = rolledUp();
    expect(usage).toMatchObject({
      calls: 5,
      prompt_tokens: 500,
      eval_tokens: 50,
      cached_tokens: 61,
      cache_write_tokens: 9,
      reasoning_tokens: 4,
      total_tokens: 550,
      estimated_calls: 1,
      cost: 0.75,
      priced_calls: 1,
    });
    expect(roles).toMatchObject({
      worker: { calls: 4, cost: 0.5, cached_tokens: 61, priced_calls: 0 },
      evaluator: { calls: 1, cost: 0.25, cached_tokens: 0, priced_calls: 1 },
    });
    expect(tasks.map((task) => [task.task_id, task.usage.total_tokens, task.usage.cost, task.iterations])).toEqual([
      ["T-001", 440, 0.75, 3],
      ["T-002", 110, null, 1],
    ]);
    expect(iterations).toBe(4);
  });

  it("counts tools, hooks, checks and verdicts", () => {
    const summary = rolledUp();
    expect(summary.tools).toMatchObject({ bash: 1 });
    expect(summary.hooks).toEqual({ pre_tool: { allow: 1, block: 1 } });
    expect(summary.checks).toEqual({ passed: 1, failed: 1, failed_by_reason: { test_failed: 1 } });
    expect(summary.verdicts).toEqual({
      accepted: 1,
      rejected: 3,
      parse_failed: 0,
      by_category: { scope_creep: 2, weak_test: 1 },
    });
    expect(summary.integrity_notes).toEqual([{ task_id: "T-001", note: "note" }]);
    expect(summary.learnings_proposed).toBe(1);
  });

  it("gives every accepted task a receipt", () => {
    const { receipts, tasks } = rolledUp();
    expect(receipts).toEqual([
      {
        task_id: "T-001",
        sha: oid("2"),
        tree: oid("1"),
        tokens: 440,
        cached_tokens: 61,
        cache_write_tokens: 9,
        reasoning_tokens: 4,
        cost: 0.75,
        by_role: {
          worker: expect.objectContaining({ total_tokens: 330, cached_tokens: 61, cost: 0.5 }),
          evaluator: expect.objectContaining({ total_tokens: 110, cache_write_tokens: 9, cost: 0.25 }),
        },
        worker_model: "scripted",
        ms: 17_000,
        iterations: 3,
        wasted_retries: 5,
      },
    ]);
    expect(tasks.map((task) => task.outcome)).toEqual(["done", "failed:iter_cap"]);
  });

  it("says how the run stopped and how much of each cap is used", () => {
    const { stop, caps: used, session, events } = rolledUp();
    expect(stop).toMatchObject({ reason: "iter_cap", at: story.at(-1)?.ts });
    expect(used).toEqual({
      tokens: { used: 550 - 61 + 7, limit: 1000, percent: 49.6 },
      cost_usd: { used: 0.75, limit: 2, percent: 37.5 },
      wall_clock_minutes: { used: 0.383333, limit: 1, percent: 38.3 },
      iterations_per_task: { used: 3, limit: 32, percent: 9.4 },
      evaluator_calls_per_task: null,
    });
    expect({ session, events }).toEqual({ session: "s", events: story.length });
  });

  it("of a resumed session has no stop, counts the clock anew and leaves the pause out of a task's time", () => {
    const open = story.slice(0, 9);
    const later = logOf(
      [
        "session_resume",
        { last_stop: null, retried: [], pending: [], reconciled: [], plan: [], image: "i", image_before: null },
      ],
      ["context_reset", inTask("T-001", 0)],
      ["task_done", { ...inTask("T-001", 1), sha: oid("2") }],
    ).map((event) => ({ ...event, ts: new Date(Date.parse(event.ts) + 3_600_000).toISOString() }));
    const summary = rolledUp([...open, ...later]);
    expect(summary.stop).toBeNull();
    expect(summary.tasks[0]?.ms).toBe(6000 + 1000);
    expect(summary.caps?.wall_clock_minutes.used).toBeCloseTo(2 / 60, 5);
  });

  it("of a session that was killed leaves the pause out of a task's time too", () => {
    const killed = story.slice(0, 9);
    const resumed: Payload<"session_resume"> = {
      ...{ last_stop: null, retried: [], pending: [], reconciled: [], plan: [] },
      ...{ image: "i", image_before: null },
    };
    const later = logOf(
      ["torn_tail", { bytes: 3 }],
      ["lock_taken_over", { holder: {}, reason: "its process is gone" }],
      ["session_resume", resumed],
      ["context_reset", inTask("T-001", 0)],
      ["commit", { ...inTask("T-001", 6), sha: oid("2"), tree: oid("1") }],
    ).map((event) => ({ ...event, ts: new Date(Date.parse(event.ts) + 86_400_000).toISOString() }));
    expect(rolledUp([...killed, ...later]).receipts[0]?.ms).toBe(6000 + 1000);
  });

  it.each([
    ["waited to its end", 3_600_000],
    ["broken off after a while", 90_000],
  ])("leaves a wait that no cap counts out of a task's time and of the run's: %s", (_, waitedMs) => {
    const wait = { phase: "worker" as const, reason: "r", wait_ms: 3_600_000, until: "2025-01-02T00:00:00.000Z" };
    const waits = (uncounted: boolean) => {
      const [before, after] = [story.slice(0, 9), story.slice(9)];
      const at = Date.parse(before.at(-1)?.ts ?? "");
      const [waiting] = logOf(["limit_wait", { ...wait, ...(uncounted ? { uncounted: true } : {}) }]);
      const moved = after.map((event) => ({ ...event, ts: new Date(Date.parse(event.ts) + waitedMs).toISOString() }));
      if (waiting === undefined) throw new Error("there is one");
      return rolledUp([...before, { ...waiting, ts: new Date(at).toISOString() }, ...moved]);
    };
    const [plain, left, counted] = [rolledUp(), waits(true), waits(false)];
    // the second between the two events around the wait belongs to it too
    const secondMs = waitedMs === 3_600_000 ? 0 : 1000;
    expect(left.receipts[0]?.ms).toBe((plain.receipts[0]?.ms ?? 0) - secondMs);
    expect(left.caps?.wall_clock_minutes.used).toBeCloseTo((23_000 - secondMs) / 60_000, 5);
    expect(counted.receipts[0]?.ms).toBe((plain.receipts[0]?.ms ?? 0) + waitedMs);
  });

  it("leaves the wait out too when something else happens during it, and counts what comes after it", () => {
    const wait = { phase: "worker" as const, reason: "r", wait_ms: 3_600_000, until: "2025-01-02T00:00:00.000Z" };
    const receipt = { role: "work", image: "i", runtime: "runc", passed: true, items: [], left_out: [], open_to: [] };
    const red = { ...inTask("T-001", 0), tree: oid("1"), at: "task" as const, tests: {}, opened: [] };
    const seconds = [0, 1, 2, 3, 3_601, 3_611, 3_621];
    const events = logOf(
      ["context_reset", inTask("T-001", 0)],
      ["limit_wait", { ...inTask("T-001", 1), ...wait, uncounted: true }],
      ["isolation_receipt", receipt],
      ["red_check", red],
      ["model_call", modelCall("T-001", 1)],
      ["tool_result", { ...inTask("T-001", 1), tool: "bash", call_id: "a", content: "", ms: 1 }],
      ["commit", { ...inTask("T-001", 1), sha: oid("2"), tree: oid("1") }],
    ).map((event, at) => ({ ...event, ts: new Date(Date.UTC(2025, 0, 1, 0, 0, seconds[at])).toISOString() }));
    expect(rolledUp(events).receipts[0]?.ms).toBe(1_000 + 20_000);
    const page = new Log(toolLooks);
    for (const event of events) page.add(JSON.stringify(event));
    expect([...page.tallies.receipts.values()].map(({ ms }) => ms)).toEqual([21_000]);
  });

  it("counts a case that is judged again after a crash as no further call of the attempt before", () => {
    const verdict: Verdict = {
      verdict: "accept",
      rejection_category: null,
      concern: "",
      evidence: [],
      next_step: null,
    };
    const judged = (n: number): Payload<"evaluator_verdict"> => ({
      ...inTask("T-001", n),
      tree: oid("1"),
      verdict,
      parse_failed: false,
    });
    const resumed = { last_stop: null, retried: [], pending: ["T-001"], reconciled: [], plan: [], image: "i" };
    const rollup = new SummaryRollup();
    for (const event of logOf(
      ["context_reset", inTask("T-001", 0)],
      ["evaluator_verdict", judged(1)],
      ["session_resume", { ...resumed, image_before: null }],
      ["evaluator_verdict", judged(0)],
    ))
      rollup.add(event);
    const limits = { ...caps, maxEvaluatorCallsPerTask: 1 };
    expect(rollup.summary(limits).caps?.evaluator_calls_per_task).toMatchObject({ used: 1, percent: 100 });
  });

  it("is the same from the file as from the listener, and is a copy", async () => {
    const path = join(scratch(), "events.jsonl");
    writeFileSync(path, asLines(story));
    expect(summarySchema.parse(await summarise(path, caps))).toEqual(rolledUp());
    const rollup = new SummaryRollup();
    const early = rollup.summary(null);
    for (const event of story) rollup.add(event);
    expect(early.usage.calls).toBe(0);
    expect(early.caps).toBeNull();
  });

  it("takes a bounded heap and a few seconds at most for 100,000 events", () => {
    const path = join(scratch(), "events.jsonl");
    const lines = logOf(
      ["model_call", modelCall("T-001", 1)],
      ["tool_result", { tool: "bash", call_id: "a", content: "x".repeat(1000), ms: 1 }],
    );
    writeFileSync(path, asLines(lines).repeat(50_000));
    const script = fileURLToPath(new URL("../summarise-file.ts", import.meta.url));
    // 77 MB of log in a heap of 48 MB; the limit of seconds is wide, because the bench measures and this machine may be busy
    const child = spawnSync(process.execPath, ["--max-old-space-size=48", "--import", "tsx", script, path], {
      encoding: "utf8",
    });
    expect(child.stderr).not.toContain("heap");
    const { events, ms } = JSON.parse(child.stdout);
    expect(events).toBe(100_000);
    expect(ms).toBeLessThan(10_000);
  });
});
