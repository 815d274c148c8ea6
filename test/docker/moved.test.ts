import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { git } from "../helpers/fake-git.js";
import { keep } from "../helpers/kept-session.js";
import { changed, standing } from "../helpers/resets.js";
import { startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

/** Each test is several whole runs of the command line. */
const patience = { timeout: 240_000 };

let model: ScriptedModel;
let stage: CliStage;
let id: string;
let putBack: () => Promise<void>;

// staged once, and put back for each test
beforeAll(async () => {
  const [writes = { empty: true }, submits = { empty: true }] = doing(1);
  const hasReplied = (messages: readonly { role: string }[]) => messages.some(({ role }) => role === "assistant");
  model = await startModel({ worker: ({ messages }) => (hasReplied(messages) ? submits : writes) });
  stage = await CliStage.open(Tilth.endpoint(model));
  id = await stage.prepared();
  putBack = await keep(stage, id);
});
beforeEach(() => putBack());
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const inSession = (name: string, home = stage.tilth.home) => join(home, "sessions", id, name);
const log = (home?: string) => readFileSync(inSession("events.jsonl", home), "utf8");

async function refused(args: readonly string[], env = {}): Promise<string> {
  const { code, stdout, stderr } = await stage.tilth.run(args, env);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/(^|\n)tilth: [^\n]+\n {2}→ [^\n]+\n$/);
  return stderr;
}

test(
  "a link in the worktree's place and a moved source are refused, and all is as before when moved back",
  patience,
  async () => {
    const before = standing(stage);
    await refusesLink();
    const elsewhere = `${stage.source}-moved`;
    renameSync(stage.source, elsewhere);
    for (const args of [
      ["run", "--session", id],
      ["run", elsewhere],
    ])
      expect(await refused(args)).toContain(`was '${stage.source}', but nothing is there now\n  → move it back: mv`);
    expect(await refused(["run", stage.source])).toContain(stage.source);
    renameSync(elsewhere, stage.source);
    expect(changed(before, standing(stage))).toEqual([]);
  },
);

/** Expects the link to be refused and nothing behind it to be touched, and puts the folder back. */
async function refusesLink(): Promise<void> {
  const workspace = inSession("workspace");
  const away = join(stage.tilth.root, "away");
  renameSync(workspace, away);
  symlinkSync(away, workspace);
  const before = readdirSync(away);
  expect(await refused(["run", stage.source])).toContain(`'${workspace}' is a link`);
  expect(readdirSync(away)).toEqual(before);
  rmSync(workspace);
  renameSync(away, workspace);
}

test(
  "a moved home is refused by its old path, and the session is worked through there once git is told",
  patience,
  async () => {
    const before = log();
    const elsewhere = join(stage.tilth.root, "moved home");
    renameSync(stage.tilth.home, elsewhere);
    const env = { TILTH_HOME: elsewhere };
    const said = await refused(["run", stage.source], env);
    expect(said).toContain(`was '${inSession("workspace")}' and is now '${inSession("workspace", elsewhere)}'`);
    expect(log(elsewhere)).toBe(before);
    const [, command = ""] = /→ .*?: (git .*)\n$/.exec(said) ?? [];
    execFileSync("sh", ["-c", command], { env: { ...stage.tilth.env }, stdio: "pipe" });
    expect(await stage.tilth.run(["run", stage.source], env)).toMatchObject({ code: 0 });
    renameSync(elsewhere, stage.tilth.home);
  },
);

test(
  "a pruned worktree entry and a deleted folder are made again, with every file of the branch",
  patience,
  async () => {
    const workspace = inSession("workspace");
    rmSync(workspace, { recursive: true });
    await git(["worktree", "prune", "--expire=now"], { cwd: stage.source });
    const { code, stderr } = await stage.tilth.run(["run", stage.source]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`the worktree '${workspace}' was gone or empty; its files are made again`);
    expect(String(await git(["status", "--porcelain"], { cwd: workspace }))).toBe("");
    expect(existsSync(join(workspace, "AGENTS.md"))).toBe(true);
  },
);
