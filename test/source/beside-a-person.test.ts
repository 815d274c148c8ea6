import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HostPath, SessionId } from "../../runner/base/ids.js";
import { nodeIo, syncFolder } from "../../runner/disk/file-io.js";
import { HostGit } from "../../runner/source/git/host-git.js";
import { branchTip, moveBranch } from "../../runner/source/refs/branch-ref.js";
import { clearOwnLocks } from "../../runner/source/refs/locks.js";
import { SessionBranch } from "../../runner/source/session-branch.js";
import { deleteBranch, worktreesOn } from "../../runner/source/worktree/checked-out.js";
import { addWorktree, removeWorktree } from "../../runner/source/worktree/worktree.js";
import { ensureWorktree } from "../../runner/source/worktree/worktree-mend.js";
import { GitRepo, never, sessionId } from "../helpers/git-repo.js";
import { forgedCommit } from "../stress/forged-commits.js";

async function session(repo: GitRepo, id = sessionId) {
  const source = await repo.preflight();
  const worktree = join(repo.tilthHome, id, "workspace") as HostPath;
  await addWorktree(source, { id, path: worktree, base: source.head, group: null }, never);
  const branch = new SessionBranch(source, { id, base: source.head, last: source.head, worktree, allowed: null });
  const { commit, tree, pack } = forgedCommit(source.head, `of ${id}\n`);
  return { source, worktree, branch, commit, incoming: { commit, tree, parent: source.head }, pack };
}

const tidies = (repo: GitRepo) => repo.git("gc", "--quiet", "--prune=now");
const keptIn = (repo: GitRepo) =>
  readdirSync(join(repo.path, ".git/objects/pack")).filter((name) => name.endsWith(".keep"));

test("a gc between the arrival of objects and the move of the branch drops them from a naive import, not from ours", async () => {
  using repo = GitRepo.withCommit();
  const { source, branch, commit, incoming, pack } = await session(repo);
  for await (const bytes of pack()) repo.pipe(bytes, "index-pack", "--stdin");
  tidies(repo);
  expect(repo.tryGit("cat-file", "-e", commit).status).not.toBe(0);

  await branch.take({ ...incoming, pack: pack() }, never);
  tidies(repo);
  await branch.move({ from: source.head, to: commit, why: "task accepted" }, never);
  expect(keptIn(repo)).toEqual([]);
  tidies(repo);
  expect(repo.git("fsck", "--strict", "--connectivity-only", `session/${sessionId}`)).toBe("");
});

test("remains of a process that died between the two are cleared by the holder of its session, and no others", async () => {
  using repo = GitRepo.withCommit();
  const other = "20250101-120000-000000" as SessionId;
  const { source, worktree, branch, incoming, pack } = await session(repo);
  const second = await session(repo, other);
  await branch.take({ ...incoming, pack: pack() }, never);
  await second.branch.take({ ...second.incoming, pack: second.pack() }, never);
  writeFileSync(join(repo.path, ".git/objects/pack/pack-of-a-person.keep"), "");
  mkdirSync(join(repo.path, ".git/worktrees/workspace/incoming/pack"), { recursive: true });
  expect(keptIn(repo)).toHaveLength(3);
  clearOwnLocks(source, sessionId, worktree);
  expect(keptIn(repo)).toHaveLength(2);
  expect(existsSync(join(repo.path, ".git/worktrees/workspace/incoming"))).toBe(false);
  clearOwnLocks(source, other, second.worktree);
  expect(keptIn(repo)).toEqual(["pack-of-a-person.keep"]);
});

test("a prune removes a quarantine among the objects, and leaves the one that is used here", async () => {
  using repo = GitRepo.withCommit();
  const { source, branch, commit, incoming, pack } = await session(repo);
  const naive = join(repo.path, ".git/objects/tmp_objdir-incoming-naive");
  mkdirSync(join(naive, "pack"), { recursive: true });
  async function* prunedUnderIt() {
    for await (const bytes of pack()) {
      yield bytes.subarray(0, 20);
      repo.git("prune", "--expire=now");
      yield bytes.subarray(20);
    }
  }
  await branch.take({ ...incoming, pack: prunedUnderIt() }, never);
  expect(existsSync(naive)).toBe(false);
  await branch.move({ from: source.head, to: commit, why: "task accepted" }, never);
  expect(repo.git("rev-parse", `session/${sessionId}`).trim()).toBe(commit);
  expect(repo.git("worktree", "list").trim().split("\n")).toHaveLength(2);
});

/** A git after which a person's `pack-refs` runs whenever it moved a ref. */
function packedAtOnce(repo: GitRepo): HostGit {
  const folder = join(repo.root, "bin");
  mkdirSync(folder);
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const packs = `case "$*" in update-ref*) '${real}' pack-refs --all --prune;; esac`;
  writeFileSync(join(folder, "git"), `#!/bin/sh\n'${real}' "$@"; status=$?\n${packs}\nexit $status\n`);
  chmodSync(join(folder, "git"), 0o755);
  return new HostGit(join(folder, "git"), repo.places());
}

test("a branch that is packed the moment it has moved counts as moved, though its folder is gone", async () => {
  using repo = GitRepo.withCommit();
  const { source } = await session(repo);
  const next = repo.commit("next").head;
  const git = packedAtOnce(repo);
  await moveBranch({ ...source, git }, sessionId, { from: source.head, to: next, why: "task accepted" }, never);
  // a naive sync of the folder that the ref stood in would end the run
  expect(() => syncFolder(join(repo.path, ".git/refs/heads/session"), nodeIo)).toThrow("ENOENT");
  expect(repo.git("rev-parse", `session/${sessionId}`).trim()).toBe(next);
});

test("an entry that another git is just writing ends a naive look at the work trees, and none of ours", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const half = join(repo.path, ".git/worktrees/half");
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, "gitdir"), `${join(repo.root, "half")}/.git\n`);
  writeFileSync(join(half, "HEAD"), "ref: refs/heads/half\n");
  writeFileSync(join(half, "commondir"), "");
  for (const naive of [
    ["for-each-ref", "--format=%(worktreepath)"],
    ["worktree", "add", join(repo.root, "other")],
  ])
    expect(() => repo.git(...naive)).toThrow("/worktrees/half/commondir");
  const path = join(repo.tilthHome, sessionId, "workspace") as HostPath;
  const whole = setTimeout(() => writeFileSync(join(half, "commondir"), "../..\n"), 100);
  await addWorktree(source, { id: sessionId, path, base: source.head, group: null }, never);
  clearTimeout(whole);
  expect(repo.git("-C", path, "symbolic-ref", "HEAD").trim()).toBe(`refs/heads/session/${sessionId}`);
  writeFileSync(join(half, "commondir"), "");
  expect(await branchTip(source, sessionId, never)).toBe(source.head);
  removeWorktree(source, path);
  await deleteBranch(source, sessionId, source.head, never);
});

test("work tree entries are made, mended and removed while somebody prunes them all the time", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const path = join(repo.tilthHome, sessionId, "workspace") as HostPath;
  const place = { id: sessionId, path, group: null };
  const prunes = [0, 1].map(() => spawn("bash", ["-c", "while :; do git worktree prune; done"], { cwd: repo.path }));
  try {
    for (let round = 0; round < 12; round += 1) {
      await addWorktree(source, { ...place, base: source.head }, never);
      rmSync(join(repo.path, ".git/worktrees"), { recursive: true, force: true });
      ensureWorktree(source, place);
      expect(worktreesOn(source, sessionId, null)).toEqual([path]);
      removeWorktree(source, path);
      await deleteBranch(source, sessionId, source.head, never);
    }
  } finally {
    for (const prune of prunes) prune.kill("SIGKILL");
  }
});
