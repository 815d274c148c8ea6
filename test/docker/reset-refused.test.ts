import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CliStage } from "../helpers/cli-stage.js";
import { someOf } from "../helpers/every.js";
import { git, gitLine } from "../helpers/fake-git.js";
import { keep } from "../helpers/kept-session.js";
import { changed, expectGone, pathIn, rewrite, type Standing, standing, tipOf } from "../helpers/resets.js";
import { snapshotOf } from "../helpers/session-disk.js";
import type { CommandEnd, Env } from "../helpers/tilth.js";

// whatever the id, the checkpoint or a link says, only the one session is removed

let stage: CliStage;
let other: string;
/** everything that is left when the one session is gone */
let beside: Standing;
let id: string;
let putBack: () => Promise<void>;
beforeAll(async () => {
  stage = await CliStage.open();
  other = await stage.prepared();
  beside = standing(stage);
  id = await stage.prepared("--keep-existing");
  putBack = await keep(stage, id);
});
afterAll(() => stage?.[Symbol.asyncDispose]());

const inSource = () => ({ cwd: stage.source });
const reset = (args: readonly string[], env: Env = {}) => stage.tilth.run(["reset", ...args], env);

/** Expects exit code 2, one sentence, one remedy, and everything as it was. */
async function refused(ending: () => Promise<CommandEnd>, says: RegExp): Promise<void> {
  const [before, onEngine] = [standing(stage), await stage.onEngine()];
  const { code, stdout, stderr } = await ending();
  expect([code, stdout], stderr).toEqual([2, ""]);
  expect(stderr).toMatch(says);
  expect(stderr).toMatch(/^tilth: .+\n {2}→ .+\n$/m);
  expect(changed(before, standing(stage))).toEqual([]);
  expect(await stage.onEngine()).toEqual(onEngine);
}

/** Removes as a script would: the folder that the id names below the sessions. */
function naive(text: string): string[] {
  const home = join(stage.tilth.root, "naive");
  cpSync(stage.tilth.home, home, { recursive: true });
  rmSync(join(home, "sessions", text), { recursive: true, force: true });
  const left = existsSync(join(home, "sessions")) ? readdirSync(join(home, "sessions")) : [];
  rmSync(home, { recursive: true, force: true });
  return left;
}

describe("an invalid id", () => {
  test.each(["", ".", ".."])("like %j makes a naive removal take every session, and is refused here", async (text) => {
    expect(naive(text)).toEqual([]);
    await refused(() => reset([text, "-y"]), /is not a session id/);
  });

  test.each([
    ["an absolute path", () => pathIn(stage, id)],
    ["a path to a session", () => `../sessions/${id}`],
    ["a session and more", () => `${id}/workspace`],
    ["an option", () => "-y"],
    ["a session that there is not", () => "20250101-000000-abcdef"],
  ])("is refused: %s", async (_, text) => {
    await refused(() => reset(["-y", "--", text()]), /is not a session id|there is no session/);
  });
});

describe("reset", () => {
  test("removes nothing without an engine", () =>
    refused(() => reset([id, "-y"], { DOCKER_HOST: "unix:///nowhere/docker.sock" }), /no container engine answers/));

  test("removes nothing without the image, which is needed to empty a worktree", () =>
    refused(() => reset([id, "-y"], { TILTH_BASE_IMAGE: `python@sha256:${"0".repeat(64)}` }), /hands image is not/));

  test("removes nothing while a work tree of the person's is on the branch, even if git shows only another one", async () => {
    const mine = join(stage.tilth.root, "mine");
    await git(["worktree", "add", "-q", "--force", mine, `session/${id}`], inSource());
    const known = await gitLine(["for-each-ref", "--format=%(worktreepath)", `refs/heads/session/${id}`], inSource());
    expect([mine, pathIn(stage, id, "workspace")]).toContain(known);
    await refused(() => reset([id, "-y"]), new RegExp(`session/${id} is checked out at '${mine}'`));
    await git(["-c", "advice.detachedHead=false", "checkout", "-q", "--detach"], { cwd: mine });
    mkdirSync(join(stage.source, ".git/worktrees/mine/rebase-merge"));
    writeFileSync(join(stage.source, ".git/worktrees/mine/rebase-merge/head-name"), `refs/heads/session/${id}\n`);
    await refused(() => reset([id, "-y"]), new RegExp(`session/${id} is checked out at '${mine}'`));
    await git(["worktree", "remove", "--force", mine], inSource());
  });

  test("removes nothing while the branch is a symbolic ref to a branch of the person's", async () => {
    const tip = await tipOf(stage, id);
    await git(["branch", "mine", tip], inSource());
    await git(["symbolic-ref", `refs/heads/session/${id}`, "refs/heads/mine"], inSource());
    await refused(() => reset([id, "-y"]), /has become another name of refs\/heads\/mine/);
    await git(["symbolic-ref", "-d", `refs/heads/session/${id}`], inSource());
    await git(["branch", `session/${id}`, tip], inSource());
    await git(["update-ref", "-d", "refs/heads/mine"], inSource());
  });
});

describe("a checkpoint", () => {
  const checkpoint = () => pathIn(stage, id, "checkpoint.json");
  async function withCheckpoint(change: object, work: () => Promise<void>): Promise<void> {
    const whole = readFileSync(checkpoint());
    rewrite(checkpoint(), change);
    await work();
    writeFileSync(checkpoint(), whole);
  }

  test("is refused when it belongs to another session", () =>
    withCheckpoint({ id: other }, () => refused(() => reset([id, "-y"]), new RegExp(`belongs to session "${other}"`))));

  test("that names another source makes a naive removal delete a branch there, and is refused here, log or no log", async () => {
    const clone = join(stage.tilth.root, "clone");
    await git(["clone", "-q", stage.source, clone]);
    const plant = () => git(["branch", "-f", `session/${id}`, "HEAD"], { cwd: clone });
    const planted = () => gitLine(["branch", "--list", `session/${id}`], { cwd: clone });
    await plant();
    await withCheckpoint({ source: clone }, async () => {
      const { source } = JSON.parse(readFileSync(checkpoint(), "utf8")) as { source: string };
      await git(["branch", "-D", `session/${id}`], { cwd: source });
      expect(await planted()).toBe("");
      await plant();
      await refused(() => reset([id, "-y"]), /names '.*clone' as the session's source, and its log names '.*source'/);
      renameSync(pathIn(stage, id, "events.jsonl"), pathIn(stage, id, "away"));
      await refused(() => reset([id, "-y"]), /nothing but the checkpoint says/);
      renameSync(pathIn(stage, id, "away"), pathIn(stage, id, "events.jsonl"));
      expect(await planted()).not.toBe("");
    });
  });

  test.each(someOf(["/", "/etc", "relative", "", "/nowhere/at/all"], 5))(
    "is refused when it names %j as its source",
    (source) => withCheckpoint({ source }, () => refused(() => reset([id, "-y"]), /as (its|the session's) source/)),
  );

  test("is refused when it names the worktree of a session as its source", () =>
    withCheckpoint({ source: pathIn(stage, id, "workspace") }, () =>
      refused(() => reset([id, "-y"]), /as its source, but there is no source/),
    ));

  test("is believed after its source has moved, because the source knows the worktree", async () => {
    const place = join(stage.tilth.root, "moved");
    renameSync(stage.source, place);
    rewrite(checkpoint(), { source: place });
    const ended = await reset([id, "-y"]);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    renameSync(place, stage.source);
    await expectGone(stage, id, beside);
    await putBack();
  });

  test("that cannot be read does not keep the session, because the log names its source", async () => {
    for (const name of ["checkpoint.json", "prd.json"]) writeFileSync(pathIn(stage, id, name), "{");
    const ended = await reset([id, "-y"]);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    await expectGone(stage, id, beside);
    await putBack();
  });

  test("that cannot be read, like its log, leaves the branch where it is, and reset says so", async () => {
    const tip = await tipOf(stage, id);
    for (const name of ["checkpoint.json", "events.jsonl"]) writeFileSync(pathIn(stage, id, name), "\0\n\0\n");
    const { code, stderr } = await reset([id, "-y"]);
    expect([code, existsSync(pathIn(stage, id))]).toEqual([0, false]);
    expect(stderr).toContain(`a branch session/${id} there stays where it is`);
    expect(await tipOf(stage, id)).toBe(tip);
    await putBack();
  });
});

describe("a link", () => {
  test("in the session's place, or above it, is not accepted as a session", async () => {
    const link = "20250101-000000-abcdef";
    symlinkSync(id, pathIn(stage, link));
    await refused(() => reset([link, "-y"]), /is not a folder of its own/);
    unlinkSync(pathIn(stage, link));
    const home = join(stage.tilth.root, "other-home");
    mkdirSync(home);
    symlinkSync(join(stage.tilth.home, "sessions"), join(home, "sessions"));
    await refused(() => reset([id, "-y"], { TILTH_HOME: home }), /is not a folder of its own/);
    rmSync(home, { recursive: true });
  });

  test("in the worktree's place is removed, and its target stays, which git's own removal would empty", async () => {
    const precious = join(stage.tilth.root, "precious");
    const worktree = pathIn(stage, id, "workspace");
    const links = async () => {
      await putBack();
      mkdirSync(precious, { recursive: true });
      writeFileSync(join(precious, "file"), "precious");
      writeFileSync(join(precious, ".git"), readFileSync(join(worktree, ".git")));
      rmSync(worktree, { recursive: true });
      symlinkSync(precious, worktree);
    };
    await links();
    await git(["worktree", "remove", "--force", worktree], inSource()).catch(() => undefined);
    expect(existsSync(join(precious, "file"))).toBe(false);
    const emptied = await reset([id, "-y"]);
    expect(emptied, emptied.stderr).toMatchObject({ code: 0 });
    await links();
    const intact = snapshotOf(precious);
    const ended = await reset([id, "-y"]);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(snapshotOf(precious)).toEqual(intact);
    await expectGone(stage, id, beside);
  });
});
