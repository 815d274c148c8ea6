import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demoScript } from "../../runner/demo/demo-script.js";
import type {
  ScriptedCall,
  ScriptedRequest,
  ScriptedRole,
  Turn,
  WireMessage,
} from "../../runner/demo/script/script.js";
import { exampleFolder } from "../../runner/demo/script/steps.js";
import { prdSchema } from "../../runner/session/state/prd.js";

const prd = prdSchema.parse(JSON.parse(readFileSync(join(exampleFolder, "prd.json"), "utf8")));

/** The text that the scripted worker expects in each result, in the order of its replies. */
const answers: Readonly<Record<string, readonly string[]>> = {
  "T-001": [
    "todo/cli.py",
    "USAGE",
    "ok",
    "No module named 'todo.todo_list'",
    "ok",
    "ok",
    "6 passed",
    "1 passed",
    "ok",
    '+COMMANDS = {"add"',
  ],
  "T-002": [
    "class TodoList",
    "todo/cli.py",
    "def show",
    "ok",
    "ok",
    "ok",
    "ok",
    "tests/test_t002_done.py failed",
    "==",
    "ok",
    "ok",
    "passed",
    "passed",
    "ok",
    "no item",
  ],
  "T-003": [
    "class TodoList",
    "ok",
    "ok",
    "No module named 'todo.storage'",
    "ok",
    "ok",
    "passed",
    "added 1: try it out",
    "rejected: acceptance_gap",
    "ok",
    "ok",
    "passed",
    '"text": "try it out"',
    "demo.json",
    "ok",
    "passed",
  ],
  "T-004": [
    "ok",
    "passed",
    "conftest.py was added",
    "ok",
    "def show",
    "item.done",
    "high",
    "ok",
    "ok",
    "ok",
    "ok",
    "passed",
    "passed",
    "todo_list",
    "ok",
  ],
  "T-005": [
    "todo/cli.py:12: def show",
    "class TodoList",
    "ok",
    "F401 unused import",
    "ok",
    "ok",
    "passed",
    "sweep",
    "sweep",
    "passed",
    "cli.py",
    "All checks passed",
  ],
};

function request(role: ScriptedRole, messages: readonly WireMessage[]): ScriptedRequest {
  return { role, index: 0, model: "", messages, tools: [], authorization: null, headers: {}, body: { messages } };
}

function play(role: ScriptedRole, messages: readonly WireMessage[]): Turn {
  const script = demoScript[role];
  if (typeof script !== "function") throw new Error(`no rule for ${role}`);
  return script(request(role, messages));
}

/** Every call that the worker makes for a task if it gets the answers above. */
function callsFor(task: string): ScriptedCall[] {
  const messages: WireMessage[] = [
    { role: "user", content: `Of the plan T-001 to T-005:\n\n${task}: what it is about` },
  ];
  return ["", ...(answers[task] ?? [])].flatMap((answer) => {
    if (answer !== "") messages.push({ role: "tool", content: answer });
    const turn = play("worker", messages);
    if (typeof turn === "function" || !("calls" in turn)) throw new Error(JSON.stringify(turn));
    messages.push({ role: "assistant", content: null });
    return turn.calls;
  });
}

function repositoryFiles(folder = join(exampleFolder, "repo"), at = ""): [string, string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${at}${entry.name}`;
    if (entry.isDirectory()) return repositoryFiles(join(folder, entry.name), `${path}/`);
    return [[path, readFileSync(join(folder, entry.name), "utf8")]];
  });
}

function apply(files: Map<string, string>, [tool, args]: ScriptedCall): void {
  const given = args as Record<string, string>;
  const path = given.path ?? "";
  if (tool === "write_file") files.set(path, given.content ?? "");
  if (tool !== "edit_file") return;
  const parts = (files.get(path) ?? "").split(given.old_string ?? "");
  if (parts.length !== 2) throw new Error(`${parts.length - 1} matches in ${path} for ${given.old_string}`);
  files.set(path, parts.join(given.new_string));
}

describe("the demo's script", () => {
  it("edits exactly one place each time, over all tasks in a row", () => {
    const files = new Map(repositoryFiles());
    for (const task of prd) for (const call of callsFor(task.id)) apply(files, call);
    expect(files.get("todo/cli.py")).toContain('"export": export');
    expect(files.get("todo/storage.py")).toContain("os.replace(");
    expect(files.get("todo/export.py")).not.toContain("import json");
  });

  it("uses every tool of the worker", () => {
    const used = new Set(prd.flatMap((task) => callsFor(task.id)).map(([tool]) => tool));
    expect([...used].sort()).toEqual(["bash", "edit_file", "glob", "grep", "read_file", "submit_case", "write_file"]);
  });

  it("covers every criterion of its task in each case it presents", () => {
    for (const task of prd) {
      const cases = callsFor(task.id).filter(([tool]) => tool === "submit_case");
      const wanted = task.acceptance_criteria.map((_, index) => String(index + 1));
      for (const [, args] of cases) {
        const covered = (args as { ac_coverage: { criterion: string }[] }).ac_coverage.map((one) => one.criterion);
        expect(covered).toEqual(wanted);
      }
    }
  });

  it("says what it missed when a reply differs from the script", () => {
    const messages = [
      { role: "user", content: "T-001: it" },
      { role: "assistant" },
      { role: "tool", content: "no files" },
    ];
    expect(play("worker", messages)).toMatchObject({ quiet: expect.stringContaining("no files") });
  });

  it("has an evaluator that rejects a save in place and accepts a rename", () => {
    const verdictOn = (diff: string) =>
      JSON.stringify(play("evaluator", [{ role: "user", content: `T-003: it\n${diff}` }]));
    expect(verdictOn("+ path.write_text(text)")).toContain("acceptance_gap");
    expect(verdictOn("+ os.replace(beside, path)")).toContain('"accept"');
  });

  it("proposes one learning in self-improve", () => {
    const said = prd.map((task) => JSON.stringify(play("self_improve", [{ role: "user", content: `${task.id}: it` }])));
    expect(said.filter((text) => text.includes("yes"))).toHaveLength(1);
  });
});
