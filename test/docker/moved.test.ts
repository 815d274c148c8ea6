import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { git } from "../helpers/fake-git.js";
import { startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

/** Each is several whole runs of the command line. */
const patience = { timeout: 240_000 };

let model: ScriptedModel;
beforeAll(async () => {
  const [writes = { empty: true }, submits = { empty: true }] = doing(1);
  const hasReplied = (messages: readonly { role: string }[]) => messages.some(({ role }) => role === "assistant");
  model = await startModel({ worker: ({ messages }) => (hasReplied(messages) ? submits : writes) });
});
afterAll(() => model?.[Symbol.asyncDispose]());

async function prepared() {
  const stage = await CliStage.open(Tilth.endpoint(model));
  const id = await stage.prepared();
  const folder = join(stage.tilth.home, "sessions", id);
  return {
    stage,
    id,
    folder,
    workspace: join(folder, "workspace"),
    log: () => readFileSync(join(folder, "events.jsonl"), "utf8"),
    refused: async (args: readonly string[], env = {}) => {
      const { code, stdout, stderr } = await stage.tilth.run(args, env);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/(^|\n)tilth: [^\n]+\n {2}→ [^\n]+\n$/);
      return stderr;
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

test(
  "a link in the worktree's place and a moved source are refused; moved back, the session runs",
  patience,
  async () => {
    await using session = await prepared();
    const { stage, id } = session;
    await refusesLink(session);
    const before = session.log();
    const elsewhere = `${stage.source}-moved`;
    renameSync(stage.source, elsewhere);
    for (const args of [
      ["run", "--session", id],
      ["run", elsewhere],
    ])
      expect(await session.refused(args)).toContain(
        `was '${stage.source}', but nothing is there now\n  → move it back: mv`,
      );
    expect(await session.refused(["run", stage.source])).toContain(stage.source);
    expect(session.log()).toBe(before);
    renameSync(elsewhere, stage.source);
    expect(await stage.tilth.run(["run", stage.source])).toMatchObject({ code: 0 });
  },
);

/** Nothing behind the link is touched, and the folder is put back. */
async function refusesLink({ stage, workspace, refused }: Awaited<ReturnType<typeof prepared>>): Promise<void> {
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
  "a home that moved is refused by its old path; told to git, the session is worked through there",
  patience,
  async () => {
    await using session = await prepared();
    const { stage, id } = session;
    const before = session.log();
    const elsewhere = join(stage.tilth.root, "moved home");
    renameSync(stage.tilth.home, elsewhere);
    const env = { TILTH_HOME: elsewhere };
    const said = await session.refused(["run", stage.source], env);
    expect(said).toContain(`was '${session.workspace}' and is now '${join(elsewhere, "sessions", id, "workspace")}'`);
    expect(readFileSync(join(elsewhere, "sessions", id, "events.jsonl"), "utf8")).toBe(before);
    const [, command = ""] = /→ .*?: (git .*)\n$/.exec(said) ?? [];
    execFileSync("sh", ["-c", command], { env: { ...stage.tilth.env }, stdio: "pipe" });
    expect(await stage.tilth.run(["run", stage.source], env)).toMatchObject({ code: 0 });
    renameSync(elsewhere, stage.tilth.home);
  },
);

test(
  "a record that was pruned and a folder that was deleted are made again, with every file of the branch",
  patience,
  async () => {
    await using session = await prepared();
    const { stage, workspace } = session;
    rmSync(workspace, { recursive: true });
    await git(["worktree", "prune", "--expire=now"], { cwd: stage.source });
    const { code, stderr } = await stage.tilth.run(["run", stage.source]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`the worktree '${workspace}' was gone or empty; its files are made again`);
    expect(String(await git(["status", "--porcelain"], { cwd: workspace }))).toBe("");
    expect(existsSync(join(workspace, "AGENTS.md"))).toBe(true);
  },
);
