import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import { readEvents } from "../../runner/session/log/event-reader.js";
import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import { git } from "./fake-git.js";
import { differences } from "./git-repo.js";
import { canaryKey } from "./scripted-model.js";
import { entriesBelow, filesHolding, formsOf, snapshotOf } from "./session-disk.js";
import { honey, type SessionWorld } from "./session-world.js";

/** Checks everything that must be true after any session, whoever took part in it. */
export async function oracle(
  world: SessionWorld,
  files: SessionFiles,
  end: RunEnd,
  { personChanged = [] }: { personChanged?: readonly RegExp[] } = {},
): Promise<void> {
  expect(readdirSync(world.markers), "no attack left its mark on the host").toEqual([]);
  const byPerson = (path: string) => personChanged.some((pattern) => pattern.test(path));
  expect(strayChanges(world, files).filter((path) => !byPerson(path))).toEqual([]);
  expect(differences(world.honeyBefore, snapshotOf(world.repo.userHome))).toEqual([]);
  await expectNoSecretsIn(world);
  await expectNothingOnTheEngine(world, files, end);
  await expectSoundState(world, files);
  expectSafeWorktree(files.paths.worktree);
  if (end.stop.reason === "all_done") expect(statusOf(world, files)).toEqual([]);
  expect(readdirSync(world.markers), "not even a person's own git status sets anything off").toEqual([]);
  expect(end.stop.reason).not.toBe("error");
}

/**
 * Lists forbidden changes. Only the branch, its reflog, its objects and the worktree's record may be new; nothing may
 * have changed.
 */
function strayChanges(world: SessionWorld, { id }: SessionFiles): string[] {
  const after = snapshotOf(world.repo.path);
  const allowed = [
    new RegExp(`^\\.git/(logs/)?refs/heads/session(/${id})?$`),
    /^\.git\/objects\/[0-9a-f]{2}(\/[0-9a-f]{38})?$/,
    /^\.git\/objects\/pack(\/pack-[0-9a-f]{40}\.(pack|idx|rev))?$/,
    /^\.git\/worktrees(\/workspace[0-9]*(\/.*)?)?$/,
  ];
  const isOurs = (path: string) => !world.before.has(path) && allowed.some((pattern) => pattern.test(path));
  return differences(world.before, after).filter((path) => !isOurs(path));
}

async function expectNoSecretsIn(world: SessionWorld): Promise<void> {
  const { root, tilthHome, userHome } = world.repo;
  const needles = [...formsOf(canaryKey), ...formsOf(honey)];
  const allowed = [join(tilthHome, ".env"), join(userHome, ".ssh/id_rsa")];
  const holding = filesHolding(root, needles).filter((path) => !allowed.includes(join(root, path)));
  expect(holding, "files that hold a secret").toEqual([]);
  const objects = await git(["cat-file", "--batch-all-objects", "--batch"], { cwd: world.repo.path });
  const requests = Buffer.from(JSON.stringify(world.model.requests.map(({ body }) => body)));
  const said = Buffer.from(world.said.join("\n"));
  for (const needle of needles)
    for (const where of [objects, requests, said]) expect(where.includes(needle)).toBe(false);
}

async function expectNothingOnTheEngine(world: SessionWorld, { id }: SessionFiles, end: RunEnd): Promise<void> {
  expect(await standing(world)).toEqual([]);
  const { Volumes } = await world.engine.docker.listVolumes();
  const kept = Volumes.filter(({ Name }) => Name === repoVolumeOf(id)).length;
  expect(kept, "the volume goes when all is done").toBe(end.stop.reason === "all_done" ? 0 : 1);
}

/**
 * Containers that exist. An engine that was killed may list some that it does not know any more and nobody can remove.
 */
async function standing(world: SessionWorld): Promise<string[]> {
  const listed = await world.containers();
  const known = listed.map((id) =>
    world.engine.docker
      .getContainer(id)
      .inspect()
      .then(() => [id])
      .catch((error: { statusCode?: number }) => (error.statusCode === 404 ? [] : [id])),
  );
  return (await Promise.all(known)).flat();
}

async function expectSoundState(world: SessionWorld, files: SessionFiles): Promise<void> {
  quietGit(world, "fsck", "--strict", "--no-dangling");
  const log = await wholeLog(files);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => (log[0]?.seq ?? 0) + index));
  const checkpoint = files.loadCheckpoint();
  const prd = files.loadPrd();
  files.loadSeedMeta();
  files.loadSeed();
  expect(files.loadSummary()).not.toBeNull();
  const done = prd.filter(({ status }) => status === "done").map(({ id }) => id);
  const commits = of(log, "commit");
  expect(commits.map(({ task_id }) => task_id)).toEqual(done);
  const branch = world.repo.git("rev-list", "--reverse", `${checkpoint.base_commit}..session/${files.id}`).split("\n");
  expect(branch.slice(1, -1)).toEqual(commits.map(({ sha }) => sha));
  expect(checkpoint.last_commit).toBe(branch.at(-2));
  for (const commit of commits) expectOneTree(world, log, commit);
  for (const { id } of prd) {
    const entries = of(log, "ledger_appended").filter(({ task_id }) => task_id === id);
    expect(files.loadLedger(id)).toEqual(entries.map(({ entry }) => entry));
  }
}

/** Expects the checked, evaluated and committed bytes to be the same. */
function expectOneTree(
  world: SessionWorld,
  log: readonly TilthEvent[],
  { task_id, sha, tree }: Payload<"commit">,
): void {
  const last = <T extends "check_run" | "evaluator_verdict" | "commit_prepared">(type: T) =>
    of(log, type).findLast((payload) => payload.task_id === task_id);
  expect(last("check_run")).toMatchObject({ tree, passed: true });
  expect(last("evaluator_verdict")).toMatchObject({ tree, verdict: { verdict: "accept" } });
  expect(last("commit_prepared")).toMatchObject({ tree, sha });
  expect(world.repo.treeOf(sha)).toBe(tree);
}

/** Expects nothing left that could hurt a person: no special files, no extra bits, no repository that is alive. */
function expectSafeWorktree(worktree: string): void {
  const dangerous = entriesBelow(worktree).filter(({ path, at }) => path !== ".git" && isDangerous(path, at));
  expect(dangerous.map(({ path }) => path)).toEqual([]);
  expect(statSync(worktree).mode & 0o700).toBe(0o700);
}

/** The status that a person is shown of the worktree, without the built-in ignore list's names. */
export function statusOf(world: SessionWorld, { paths }: SessionFiles): string[] {
  const shown = world.repo.git(
    "-c",
    "core.fsmonitor=false",
    "-C",
    paths.worktree,
    "status",
    "--porcelain",
    "--untracked-files=all",
  );
  return shown.split("\n").filter((line) => line !== "" && !leftOut.test(line));
}

const leftOut = /^\?\? (.*\/)?(\.venv|__pycache__|\.pytest_cache|\.ruff_cache|[^/]*\.pyc)(\/|$)/;

/** Runs git without the programs that the source itself sets, which would leave marks too. */
function quietGit(world: SessionWorld, ...args: string[]): string {
  return world.repo.git("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args);
}

function isDangerous(path: string, at: Buffer): boolean {
  const stat = lstatSync(at);
  if (stat.isSymbolicLink()) return path.endsWith("/.git");
  const isRepository = /\.git\/(config|hooks)$/.test(path) || (path.endsWith("/.git") && stat.isFile());
  const isSpecial = !stat.isFile() && !stat.isDirectory();
  return isSpecial || isRepository || (stat.mode & 0o6000) !== 0 || stat.uid === 0;
}

export async function wholeLog(files: SessionFiles): Promise<TilthEvent[]> {
  const log: TilthEvent[] = [];
  for await (const event of readEvents(files.paths.events)) log.push(event);
  return log;
}

export function of<T extends EventType>(log: readonly TilthEvent[], type: T): Payload<T>[] {
  return log.filter((event) => event.type === type).map((event) => event.payload as Payload<T>);
}
