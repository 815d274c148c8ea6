import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Prd } from "../../../runner/session/state/prd.js";
import { compiledDriver } from "../../helpers/compiled-driver.js";
import type { LiveScript } from "../../helpers/live-driver.js";
import { soon } from "../../helpers/soon.js";
import { Terminal } from "../../helpers/tmux.js";
import { inTask, logOf, modelCall, oid } from "../../session/event-fixtures.js";

const folder = mkdtempSync(join(tmpdir(), "tilth-live-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const driver = compiledDriver("live-driver.ts");
const caps = {
  maxIterationsPerTask: 32,
  maxWallClockMinutes: 120,
  maxTokens: 20_000,
  maxCostUsd: null,
  maxEvaluatorCallsPerTask: null,
};
const titles = ["Add and list items", "Keep the list in a file that survives a crash of the machine", "Priorities"];
const prd: Prd = titles.map((title, at) => ({
  id: `T-00${at + 1}`,
  title,
  description: "d",
  acceptance_criteria: ["a"],
  status: "pending",
}));
const first = inTask("T-001", 1);
const check = { tree: oid("1"), image: "sha256:1", checks: [], expected: [], seen: [], integrity_notes: [], ms: 1234 };
const events = logOf(
  ["context_reset", inTask("T-001", 0)],
  ["model_call", modelCall("T-001", 1, { prompt_tokens: 12_335, cost: 0.25 })],
  ["tool_call", { ...first, tool: "bash", call_id: "1", args: { command: `echo \u001b[2J; ${"x".repeat(200)}` } }],
  ["check_run", { ...check, ...first, passed: true }],
  ["task_done", { ...first, sha: oid("b") }],
  ["context_reset", inTask("T-002", 0)],
  ["stop", { reason: "interrupted", detail: "", hint: "" }],
);

/** Starts the command that shows the run, with a file that tells it how far its log has come. */
function played() {
  const at = mkdtempSync(join(folder, "run-"));
  const [script, told] = [join(at, "script.json"), join(at, "told")];
  writeFileSync(script, JSON.stringify({ prd, caps, events } satisfies LiveScript));
  const upTo = (count: number) => writeFileSync(told, String(count));
  upTo(0);
  return { command: [process.execPath, driver, script, told], upTo };
}

function shownIn(size: { columns: number; rows: number }, env: Readonly<Record<string, string>> = {}) {
  const { command, upTo } = played();
  const terminal = new Terminal(command, env, size);
  return {
    terminal,
    upTo,
    /** The lines on its screen, without times. */
    async lines(when: string | RegExp): Promise<string[]> {
      return linesOf(await terminal.shows(when));
    },
    now: () => linesOf(terminal.screen()),
    [Symbol.dispose]: () => terminal.close(),
  };
}

const linesOf = (screen: string) => screen.split("\n").map((line) => line.replace(/\d\d:\d\d/g, "mm:ss"));

test("a run is drawn in place below the scrolling lines, and erased when it ends", async () => {
  using shown = shownIn({ columns: 80, rows: 24 });
  await soon(shown.now).toEqual([
    "before the run",
    "─".repeat(80),
    "○ T-001 Add and list items",
    "○ T-002 Keep the list in a file that survives a crash of the machine",
    "○ T-003 Priorities",
    "mm:ss · starting the containers",
    "time mm:ss (0 % of 120 min) · tokens 0 (0 % of 20,000)",
  ]);
  shown.upTo(3);
  await soon(shown.now).toEqual([
    "before the run",
    "mm:ss  T-001 Add and list items (1 of 3)",
    "─".repeat(80),
    "● T-001 Add and list items",
    `  iteration 1 of 32 · mm:ss · bash echo [2J; ${"x".repeat(34)}…`,
    "○ T-002 Keep the list in a file that survives a crash of the machine",
    "○ T-003 Priorities",
    "time mm:ss (0 % of 120 min) · tokens 12,345 (61 % of 20,000) · cost $0.2500",
  ]);
  shown.upTo(6);
  await soon(shown.now).toEqual([
    "before the run",
    "mm:ss  T-001 Add and list items (1 of 3)",
    "mm:ss      check passed in 1.23 s",
    "mm:ss    T-001 done",
    "mm:ss  T-002 Keep the list in a file that survives a crash of the machine (2 of…",
    "─".repeat(80),
    "✓ T-001 Add and list items",
    "● T-002 Keep the list in a file that survives a crash of the machine",
    "  iteration 0 of 32 · mm:ss · preparing the task",
    "○ T-003 Priorities",
    "time mm:ss (0 % of 120 min) · tokens 12,345 (61 % of 20,000) · cost $0.2500",
  ]);
  shown.upTo(7);
  const ended = await shown.lines(/\[left with 0\]$/);
  expect(ended.slice(-3)).toEqual(["mm:ss  stopped: interrupted", "the end", "[left with 0]"]);
  expect(ended.join("\n")).not.toMatch(/[●○─]/u);
});

test("the view says the same in fewer words in a narrow window, and stays whole when the window changes", async () => {
  using shown = shownIn({ columns: 40, rows: 16 });
  shown.upTo(3);
  const narrow = [
    "─".repeat(40),
    "● T-001 Add and list items",
    "  1/32 · mm:ss · bash echo [2J; xxxxxxx…",
    "○ T-002 Keep the list in a file that su…",
    "○ T-003 Priorities",
    "mm:ss 0 % · 12k 61 % · $0.2500",
  ];
  await soon(() => shown.now().slice(-6)).toEqual(narrow);
  shown.terminal.resize({ columns: 100, rows: 16 });
  const wide = await shown.lines(/iteration 1 of 32/);
  expect(wide.filter((line) => line.includes("T-001"))).toHaveLength(2);
  shown.terminal.resize({ columns: 40, rows: 16 });
  await shown.terminal.shows(/^ {2}1\/32/m);
  shown.upTo(4);
  const again = await shown.lines(/check passed/);
  expect(again.slice(-6)).toEqual(narrow);
  expect(again.filter((line) => line.includes("● T-001"))).toHaveLength(1);
});

test("Ctrl-Z takes the view away, and fg draws it anew below the shell's output", async () => {
  const { command, upTo } = played();
  using terminal = new Terminal(["bash", "--norc", "--noprofile", "-i"], { PS1: "SHELL> " });
  await terminal.shows("SHELL>");
  terminal.type(command.join(" "));
  terminal.press("Enter");
  await terminal.shows(/^time/m);
  for (const [at, spoken] of ["once", "twice"].entries()) {
    terminal.press("C-z");
    const left = await terminal.shows(/Stopped[^$]*\nSHELL>$/);
    expect(left).not.toMatch(/^time/m);
    terminal.type(`echo the shell speaks ${spoken}; sleep 1.2; fg`);
    terminal.press("Enter");
    upTo(at + 1);
    const screen = await terminal.shows(/^time/m);
    expect(screen).toMatch(new RegExp(`^the shell speaks ${spoken}$`, "m"));
    expect(screen.match(/^time/gm)).toHaveLength(1);
  }
  await terminal.shows(/tokens 12,345/);
});

test.each([
  ["NO_COLOR", { NO_COLOR: "1" }, false],
  ["nothing", {}, true],
])("the view is coloured unless NO_COLOR is set (set: %s)", async (_, env, coloured) => {
  using shown = shownIn({ columns: 80, rows: 24 }, env);
  shown.upTo(2);
  await shown.lines(/tokens 12,345/);
  expect(shown.terminal.everything().includes("\u001b[1m")).toBe(coloured);
});
