import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HostPath } from "../../runner/base/ids.js";
import { whyNoRepository } from "../../runner/source/git/repository.js";
import { branchTip, createBranch } from "../../runner/source/refs/branch-ref.js";
import { unmergedCount } from "../../runner/source/refs/history.js";
import { checkedOut, worktreesOn } from "../../runner/source/worktree/checked-out.js";
import { addWorktree, goingRecord, removeWorktree } from "../../runner/source/worktree/worktree.js";
import { GitRepo, never, sessionId } from "../helpers/git-repo.js";
import { thrownBy } from "../helpers/scratch.js";

const branch = `session/${sessionId}`;

/** A source whose session has two commits more than its base, and a worktree on them. */
async function withTwo(repo: GitRepo) {
  const source = await repo.preflight();
  const path = join(repo.tilthHome, "workspace") as HostPath;
  await addWorktree(source, { id: sessionId, path, base: source.head, group: null }, never);
  const commits = ["one", "two"].map((name) => repo.commit(name).head);
  repo.git("update-ref", `refs/heads/${branch}`, "HEAD");
  repo.git("reset", "-q", "--hard", source.head);
  return { source, path, commits };
}

const holders: readonly (readonly [what: string, hold: (repo: GitRepo, tip: string) => void, lost: number])[] = [
  ["nothing but the session's own work tree", () => undefined, 2],
  ["a HEAD that stands on it", (repo) => repo.git("checkout", "-q", "--detach", branch), 2],
  [
    "another name of the same branch",
    (repo) => repo.git("symbolic-ref", "refs/heads/alias", `refs/heads/${branch}`),
    2,
  ],
  ["a branch at the first of them", (repo) => repo.git("branch", "half", `${branch}~1`), 1],
  ["a branch", (repo) => repo.git("branch", "whole", branch), 0],
  ["a tag", (repo) => repo.git("tag", "-a", "-m", "t", "t", branch), 0],
  ["a branch of another repository", (repo, tip) => repo.git("update-ref", "refs/remotes/origin/x", tip), 0],
  ["a ref of any other kind", (repo, tip) => repo.git("update-ref", "refs/backup/x", tip), 0],
];

test.each(holders)("unmerged commits are counted right when they are held by %s", async (_, hold, lost) => {
  using repo = GitRepo.withCommit();
  const { source, commits } = await withTwo(repo);
  hold(repo, commits.at(-1) ?? "");
  expect(await unmergedCount(source, sessionId, never)).toBe(lost);
});

test("git's own list of what is held counts the session's own work tree, and finds nothing that would be lost", async () => {
  using repo = GitRepo.withCommit();
  await withTwo(repo);
  const naive = ["rev-list", "--count", branch, "--not", `--exclude=refs/heads/${branch}`, "--all"];
  expect(repo.git(...naive).trim()).toBe("0");
});

test("a branch below one of the session's name is a different branch", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  repo.git("branch", `${branch}/mine`);
  expect(repo.git("for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`)).toContain(source.head);
  expect(await branchTip(source, sessionId, never)).toBeNull();
});

test("every work tree on the branch is found, even in a rebase or a bisect of it, and the session's own is not", async () => {
  using repo = GitRepo.withCommit();
  const { source, path } = await withTwo(repo);
  expect(worktreesOn(source, sessionId, path)).toEqual([]);
  const other = join(repo.root, "a b");
  repo.git("worktree", "add", "-q", "--force", other, branch);
  expect(worktreesOn(source, sessionId, path)).toEqual([other]);
  repo.git("-C", other, "checkout", "-q", "--detach");
  expect(worktreesOn(source, sessionId, path)).toEqual([]);
  repo.git("-C", other, "bisect", "start", branch, "main");
  expect(worktreesOn(source, sessionId, path)).toEqual([]);
  repo.git("-C", other, "bisect", "reset");
  repo.git("-C", other, "checkout", "-q", "--ignore-other-worktrees", branch);
  repo.git("-C", other, "bisect", "start");
  repo.git("-C", other, "checkout", "-q", "--detach");
  expect(worktreesOn(source, sessionId, path)).toEqual([other]);
  repo.git("worktree", "remove", "--force", other);
  mkdirSync(join(repo.path, ".git/rebase-merge"));
  writeFileSync(join(repo.path, ".git/rebase-merge/head-name"), `refs/heads/${branch}\n`);
  expect(worktreesOn(source, sessionId, path)).toEqual([repo.path]);
  rmSync(join(repo.path, ".git/rebase-merge"), { recursive: true });
  repo.git("checkout", "-q", "--ignore-other-worktrees", branch);
  expect(worktreesOn(source, sessionId, path)).toEqual([repo.path]);
});

test("the command that leaves the branch works in a work tree that was never anywhere else", async () => {
  using repo = GitRepo.withCommit();
  const { source, path } = await withTwo(repo);
  const other = join(repo.root, "a b");
  repo.git("worktree", "add", "-q", "--force", other, branch);
  const { hint } = checkedOut(sessionId, other, source);
  execFileSync("sh", ["-c", hint.slice(hint.indexOf("git -C"))], { env: repo.env(), stdio: "ignore" });
  expect(worktreesOn(source, sessionId, path)).toEqual([]);
});

test("a repository counts as gone when its folder is gone or no repository any more, and not when it is unreadable", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  await createBranch(source, sessionId, source.head, never);
  expect(whyNoRepository(repo.path)).toBeNull();
  expect(whyNoRepository(join(repo.path, "a.txt"))).toContain("is not a folder");
  const loop = join(repo.root, "loop");
  symlinkSync(loop, loop);
  expect(thrownBy(() => whyNoRepository(loop))).toMatchObject({
    code: "usage",
    message: expect.stringContaining("ELOOP"),
  });
  rmSync(join(repo.path, ".git"), { recursive: true });
  expect(whyNoRepository(repo.path)).toContain("is not a git repository");
  rmSync(repo.path, { recursive: true });
  expect(whyNoRepository(repo.path)).toContain("there is no folder");
});

test("a work tree entry whose removal was cut short belongs to nobody, and goes with the next removal", async () => {
  using repo = GitRepo.withCommit();
  const { source, path } = await withTwo(repo);
  const going = goingRecord(source, path);
  renameSync(join(repo.path, ".git/worktrees/workspace"), going);
  expect(worktreesOn(source, sessionId, path)).toEqual([]);
  rmSync(join(going, "gitdir"));
  expect(worktreesOn(source, sessionId, path)).toEqual([]);
  removeWorktree(source, path);
  expect(existsSync(join(repo.path, ".git/worktrees"))).toBe(false);
  removeWorktree(source, path);
});
