import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type PlainTurn, type Script, scriptedModels } from "../../runner/demo/script/script.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { compiledTilth } from "../helpers/compiled.js";
import { startModel } from "../helpers/scripted-model.js";
import { snapshotOf } from "../helpers/session-disk.js";
import { Tilth } from "../helpers/tilth.js";
import { Terminal } from "../helpers/tmux.js";

const entry = {
  id: "T-001",
  title: "Answer 1",
  description: "A module pkg.m1 with a function answer.",
  acceptance_criteria: ["answer() gives 1"],
};
const acceptance = "from pkg.m1 import answer\n\n\ndef test_answer():\n    assert answer() == 1\n";

function asking(question: string, ...options: readonly string[]): PlainTurn {
  return { calls: [["ask_user", { question, ...(options.length > 0 ? { options } : {}) }]] };
}

function handingIn(id: string): PlainTurn {
  const bundle = {
    prd_entries: [{ ...entry, id }],
    test_files: { "test_t001_answer.py": acceptance },
    tldr: "- answers with 1",
    open_questions: ["what about 2?"],
  };
  return { calls: [["write_seed", bundle]] };
}

const questions: readonly PlainTurn[] = [
  { calls: [["read_file", { path: "AGENTS.md" }]] },
  asking("A module that answers, is that it?", "yes", "no"),
  asking("Which number?", "1", "42", "another"),
  asking("Where does it live?"),
  asking("What is out of scope?", "everything else", "nothing"),
  asking("What could go wrong?"),
];

/** A person's machine with a scripted interviewer and a terminal. */
async function atTerminal(script: Script) {
  const model = await startModel(script);
  const env = { ...Tilth.endpoint(model), TILTH_PREP_MODEL: scriptedModels.interviewer };
  const stage = await CliStage.open(env);
  return {
    model,
    stage,
    open: (...args: readonly string[]) => new Terminal([process.execPath, compiledTilth(), ...args], stage.tilth.env),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

async function answer(terminal: Terminal, question: string, ...keys: readonly string[]): Promise<void> {
  await terminal.shows(question);
  await terminal.shows(/Ctrl-C stops$/);
  terminal.press(...keys, "Enter");
}

test("an interview leads from a brief over five questions and a returned seed to a session that a run picks up", async () => {
  await using at = await atTerminal({
    interviewer: [...questions, handingIn("T-007"), handingIn("T-001")],
    worker: [...doing(1)],
  });
  const { stage } = at;
  const before = [snapshotOf(stage.source), (await stage.traces()).source];
  using terminal = at.open("prep-feature", stage.source);
  await terminal.shows("What is to be built or changed?");
  await terminal.shows("Enter sends it");
  terminal.paste("A module that answers.\nWith a number.");
  await terminal.shows("With a number.");
  terminal.press("Enter");
  await terminal.shows("reading AGENTS.md");
  await answer(terminal, "A module that answers, is that it?");
  await answer(terminal, "Which number?", "Down", "Up");
  await answer(terminal, "Where does it live?", "p", "k", "g");
  await answer(terminal, "What is out of scope?", "2");
  await answer(terminal, "What could go wrong?", "n", "o", "t", "h", "i", "n", "g");
  const end = await terminal.shows("[left with 0]", 120_000);
  expect(end).toMatch(
    /◇ {2}What the model wrote down\n│ {2}- answers with 1\n\n◇ {2}Open questions\n│ {2}- what about 2\?/,
  );
  const [id = "", ...others] = stage.tilth.sessions();
  expect(others).toEqual([]);
  expect(end).toContain(`session ${id} is prepared: 1 task\nrun it: tilth run --sandbox --session ${id}`);
  const sent = at.model.requests.map(({ body }) => JSON.stringify(body)).join("\n");
  for (const said of ["With a number.", '"yes"', '"1"', '"pkg"', '"nothing"']) expect(sent).toContain(said);

  const untouched = snapshotOf(stage.source);
  for (const [path, content] of before[0] as Map<string, string>)
    if (!path.startsWith(".git/")) expect(untouched.get(path)).toBe(content);
  using running = at.open("run", stage.source);
  expect(await running.shows("[left with 0]", 180_000)).toContain("all tasks are done");
}, 400_000);

test("Ctrl-C in the middle of a question removes the session, and says so", async () => {
  await using at = await atTerminal({ interviewer: questions });
  const { stage } = at;
  const before = await stage.traces();
  using terminal = at.open("prep-feature", stage.source, "--brief", "a module that answers");
  await terminal.shows("is that it?");
  await terminal.shows("Ctrl-C stops");
  expect(stage.tilth.sessions()).toHaveLength(1);
  terminal.press("C-c");
  expect(await terminal.shows("[left with 130]")).toContain(
    "the interview was interrupted; nothing of it is left\ntilth: interrupted",
  );
  expect(terminal.screen()).not.toContain("[terminal changed]");
  expect(await stage.traces()).toEqual(before);
});

test("Ctrl-C while the model is silent does the same, on lines of its own", async () => {
  await using at = await atTerminal({ interviewer: [{ hang: true }] });
  using terminal = at.open("prep-feature", at.stage.source, "--brief", "a module that answers");
  await terminal.shows("isolation proved");
  terminal.press("C-c");
  const end = await terminal.shows("[left with 130]");
  expect(end).toContain("^C\nthe interview was interrupted; nothing of it is left\ntilth: interrupted\n");
});

test("an interview that the model gives up fails with what the model said, and exits 1", async () => {
  await using at = await atTerminal({ interviewer: [{ quiet: "I would rather not." }] });
  using terminal = at.open("prep-feature", at.stage.source, "--brief", "a module that answers");
  const end = (await terminal.shows("[left with 1]")).replaceAll("\n", "");
  expect(end).toMatch(/session \S+ failed: .*I would rather not\./);
  const [id = ""] = at.stage.tilth.sessions();
  expect(readdirSync(join(at.stage.tilth.home, "sessions", id))).not.toContain("prd.json");
  expect(JSON.parse(readFileSync(join(at.stage.tilth.home, "sessions", id, "checkpoint.json"), "utf8"))).toMatchObject({
    status: "failed",
  });
});

test("run offers to prepare a session and asks for the brief, again when that looks like a key", async () => {
  await using at = await atTerminal({ interviewer: [] });
  using terminal = at.open("run", at.stage.source);
  await terminal.shows("● 1  prepare one now");
  terminal.press("Enter");
  expect(await terminal.shows("What is to be built or changed?")).toContain("▲  tilth asks");
  await terminal.shows("Enter sends it");
  terminal.type("sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD");
  terminal.press("Enter");
  await terminal.shows("looks like a key");
  terminal.press("Enter");
  await terminal.shows("nothing is typed");
  terminal.press("Enter");
  expect(await terminal.shows("[left with 0]")).toContain("nothing was done");
  expect(terminal.everything()).not.toContain("sk-proj-abc");
  expect(await at.stage.traces()).toMatchObject({ sessions: [], onEngine: [] });
});

test("an interview that is started by run keeps run's flags", async () => {
  await using at = await atTerminal({ interviewer: [] });
  using terminal = at.open("run", at.stage.source, "--runtime", "nope");
  await terminal.shows("● 1  prepare one now");
  terminal.press("Enter");
  expect(await terminal.shows("[left with 2]")).toContain('the engine has no runtime "nope"');
});
