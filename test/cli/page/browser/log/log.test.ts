import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { added, changed, stretches } from "../../../../../cli/page/browser/elements/diff.js";
import { Log } from "../../../../../cli/page/browser/log/log.js";
import { SummaryRollup } from "../../../../../runner/session/summary/summary.js";
import { toolLooks } from "../../../../../runner/tools/roles.js";
import { fiveTaskSession } from "../../../../helpers/page-session.js";
import { scratch } from "../../../../helpers/scratch.js";
import { asLines, inTask, logOf, modelCall, oid } from "../../../../session/event-fixtures.js";

function logWith(text: string): Log {
  const log = new Log(toolLooks);
  for (const line of text.trimEnd().split("\n")) log.add(line);
  return log;
}

describe("the page's counts", () => {
  test("agree with the summary", async () => {
    const { files } = await fiveTaskSession(scratch());
    const { tallies } = logWith(readFileSync(files.paths.events, "utf8"));
    const summary = files.loadSummary();
    expect([tallies.usage, tallies.iterations]).toEqual([summary?.usage, summary?.iterations]);
    for (const task of summary?.tasks ?? []) {
      const own = tallies.tasks.get(task.task_id);
      expect([own?.usage, own?.iterations]).toEqual([task.usage, task.iterations]);
      expect(own?.outcome?.replace(": ", ":") ?? null).toBe(task.outcome);
    }
    for (const { task_id, wasted_retries, tokens, by_role } of summary?.receipts ?? []) {
      const own = [...tallies.receipts].find(([item]) => item.group.task === task_id)?.[1];
      expect(own).toMatchObject({ wasted: wasted_retries, usage: { total_tokens: tokens } });
      expect(Object.fromEntries(own?.byRole ?? [])).toEqual(by_role);
    }
  });

  test("leave out the time in which nobody ran the session", () => {
    const events = logOf(
      ["context_reset", inTask("T-001", 0)],
      ["model_call", modelCall("T-001", 1)],
      ["stop", { reason: "interrupted", detail: "", hint: "" }],
      ["torn_tail", { bytes: 3 }],
      ["context_reset", inTask("T-001", 0)],
    ).map((event, at) => ({ ...event, ts: new Date(Date.UTC(2025, 0, at > 2 ? 9 : 1, 0, 0, at)).toISOString() }));
    const { tallies } = logWith(asLines(events));
    expect([tallies.activeMs, tallies.tasks.get("T-001")?.workedMs]).toEqual([3_000, 2_000]);
  });

  test("leave out a killed session's pause and uncapped waits, and give a receipt the summary's time", () => {
    const wait = { phase: "worker" as const, reason: "r", wait_ms: 86_400_000, until: "2025-01-08T00:00:00.000Z" };
    const days = [1, 1, 1, 2, 2, 9, 9, 9, 9];
    const resumed = { last_stop: null, retried: [], pending: [], reconciled: [], plan: [], image: "i" };
    const events = logOf(
      ["context_reset", inTask("T-001", 0)],
      ["model_call", modelCall("T-001", 1)],
      ["limit_wait", { ...inTask("T-001", 1), ...wait, uncounted: true }],
      ["model_call", modelCall("T-001", 2)],
      ["tool_call", { ...inTask("T-001", 2), tool: "bash", call_id: "a", args: {} }],
      ["torn_tail", { bytes: 3 }],
      ["lock_taken_over", { holder: {}, reason: "its process is gone" }],
      ["session_resume", { ...resumed, image_before: null }],
      ["commit", { ...inTask("T-001", 2), sha: oid("2"), tree: oid("1") }],
    ).map((event, at) => ({ ...event, ts: new Date(Date.UTC(2025, 0, days[at] ?? 9, 0, 0, at)).toISOString() }));
    const { tallies } = logWith(asLines(events));
    const rollup = new SummaryRollup();
    for (const event of events) rollup.add(event);
    const [receipt] = tallies.receipts.values();
    expect(receipt?.ms).toBe(2_000 + 1_000 + 1_000);
    expect(rollup.summary(null).receipts[0]?.ms).toBe(receipt?.ms);
  });
});

describe("a block", () => {
  const call = { ...inTask("T-001", 1), tool: "bash", call_id: "a" };

  test("holds a call with its hooks and its answer, whatever came in between", () => {
    const log = logWith(
      asLines(
        logOf(
          ["tool_call", { ...call, args: {} }],
          ["hook_run", { ...inTask("T-001", 1), hook: "pre_tool", tool: "bash", outcome: "allow", output: "" }],
          ["hands_restarted", { role: "work" }],
          ["tool_result", { ...call, content: "done", ms: 1 }],
          ["tool_result", { ...call, content: "said twice", ms: 1 }],
        ),
      ),
    );
    expect(log.items.map((item) => log.eventsOf(item).map(({ seq }) => seq))).toEqual([[0, 1, 3], [2], [4]]);
    expect([log.itemOf(3)?.index, log.itemOf(9)]).toEqual([0, null]);
  });

  test("holds a commit from its object to the task that is done", () => {
    const commit = { ...inTask("T-001", 1), sha: oid("a"), tree: oid("b") };
    const { tree: _, ...done } = commit;
    const log = logWith(asLines(logOf(["commit_prepared", commit], ["commit", commit], ["task_done", done])));
    expect(log.items.length).toBe(1);
  });

  test("is made from any line, even one whose number comes twice", () => {
    const log = logWith('{"seq":1,"type":"x"}\n{"seq":1,"type":"x"}\nnull\n[]\n7\n{"seq":-1}\n{"seq":"1"}');
    expect(log.items.map(({ anchor }) => anchor)).toEqual(["e1", "x1", "x2", "x3", "x4", "x5", "x6"]);
  });
});

describe("a text difference", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((lines) => lines.join("\n"));
  const lines = (whole: string) => whole.replace(/\n$/, "").split("\n");

  test("contains both texts, and no further line", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const found = changed(before, after);
        const of = (...kept: string[]) =>
          found.filter(({ kind }) => kept.includes(kind)).map((line) => line.text.slice(1));
        expect(of("same", "del")).toEqual(lines(before));
        expect(of("same", "add")).toEqual(lines(after));
      }),
    );
  });

  test("of long texts is made without comparing every pair of lines", () => {
    const long = (mark: string) => Array.from({ length: 5_000 }, (_, at) => `${mark}${at}`).join("\n");
    expect(changed(long("a"), long("b")).length).toBe(10_000);
    expect(added("x\ny\n").map((line) => line.text)).toEqual(["+x", "+y"]);
  });

  test("is found in a prompt from its first line to its last", () => {
    const found = stretches(["Judge.", "diff --git a/x b/x", "@@ -1 +1 @@", "-a", "+b", " c", "<<<end", "- a list"]);
    expect(found.map(({ diff, lines }) => [diff, lines.length])).toEqual([
      [false, 1],
      [true, 5],
      [false, 2],
    ]);
  });
});
