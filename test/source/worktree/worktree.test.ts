import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HostPath, SessionId } from "../../../runner/base/ids.js";
import { branchTip, createBranch, moveBranch } from "../../../runner/source/refs/branch-ref.js";
import { commitTree, isAncestor, readCommitted, unmergedCount } from "../../../runner/source/refs/history.js";
import { clearOwnLocks } from "../../../runner/source/refs/locks.js";
import { deleteBranch, worktreesOn } from "../../../runner/source/worktree/checked-out.js";
import { addWorktree, removeWorktree, writeAdminIndex } from "../../../runner/source/worktree/worktree.js";
import { differences, GitRepo, never, sessionId } from "../../helpers/git-repo.js";

async function withWorktree(repo: GitRepo, id = sessionId) {
  const source = await repo.preflight();
  const path = join(repo.tilthHome, id, "workspace") as HostPath;
  await addWorktree(source, { id, path, base: source.head, group: null }, never);
  return { source, path };
}

test.each(["source", "with space", "a:b", 'quo"te', "new\nline"])(
  "a work tree at %j is empty and on its branch",
  async (name) => {
    using repo = GitRepo.withCommit({ "a.txt": "1", "d/b.txt": "2" }, name);
    const { source, path } = await withWorktree(repo);
    expect(readdirSync(path)).toEqual([".git"]);
    expect(repo.git("-C", path, "symbolic-ref", "HEAD").trim()).toBe(`refs/heads/session/${sessionId}`);
    expect(repo.git("-C", path, "ls-files").trim()).toBe("a.txt\nd/b.txt");
    expect(await branchTip(source, sessionId, never)).toBe(source.head);
    expect(worktreesOn(source, sessionId, null)).toEqual([path]);
  },
);

test("git status in the work tree shows nothing once the commit's files are there, and shows each real difference", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "1", "d/b.txt": "2" });
  const { source, path } = await withWorktree(repo);
  const status = () => repo.git("-C", path, "status", "--porcelain").trim();
  mkdirSync(join(path, "d"));
  writeFileSync(join(path, "a.txt"), "1");
  writeFileSync(join(path, "d/b.txt"), "2");
  expect(status()).toBe("");
  const next = repo.files({ "a.txt": "9" }).commit("next").head;
  await moveBranch(source, sessionId, { from: source.head, to: next, why: "task accepted" }, never);
  await writeAdminIndex(source, path, next, never);
  expect(status()).toBe("M a.txt");
  writeFileSync(join(path, "a.txt"), "9");
  expect(status()).toBe("");
});

test("the source gains one ref with its reflog and one work tree entry, and loses them again", async () => {
  using repo = GitRepo.withCommit();
  const before = repo.snapshot();
  const { source, path } = await withWorktree(repo);
  const added = differences(before, repo.snapshot());
  expect(
    added.filter((name) => !/^\.git\/((logs\/)?refs\/heads\/session\/[^/]+|worktrees\/workspace\/.+)$/s.test(name)),
  ).toEqual([]);
  removeWorktree(source, path);
  await deleteBranch(source, sessionId, source.head, never);
  expect(differences(before, repo.snapshot())).toEqual([]);
  expect([existsSync(path), existsSync(join(repo.path, ".git/worktrees"))]).toEqual([false, false]);
});

test("as root, the containers' group may write the folder from its first moment on", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const path = join(repo.tilthHome, "workspace") as HostPath;
  const group = process.getuid?.() === 0 ? 10_001 : (process.getgid?.() ?? 0);
  const made = addWorktree(source, { id: sessionId, path, base: source.head, group }, never);
  if (process.getuid?.() === 0) {
    await made;
    expect(statSync(path)).toMatchObject({ uid: 0, gid: 10_001, mode: 0o40775 });
  } else {
    await expect(made).rejects.toMatchObject({ code: "infra" });
    expect(repo.git("branch", "--list", "session/*")).toBe("");
  }
});

test("a work tree that cannot be made leaves neither branch nor entry", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const before = repo.snapshot();
  const path = join(repo.tilthHome, "workspace") as HostPath;
  mkdirSync(path);
  writeFileSync(join(path, "in the way"), "");
  await expect(
    addWorktree(source, { id: sessionId, path, base: source.head, group: null }, never),
  ).rejects.toMatchObject({ code: "infra" });
  expect(differences(before, repo.snapshot())).toEqual([]);
  expect(readdirSync(path)).toEqual(["in the way"]);
});

test.each([true, false])(
  "git's own removal empties the target of a link, and ours refuses (naive: %s)",
  async (naive) => {
    using repo = GitRepo.withCommit();
    const { source, path } = await withWorktree(repo);
    const precious = join(repo.root, "precious");
    mkdirSync(precious);
    writeFileSync(join(precious, "file"), "precious");
    writeFileSync(join(precious, ".git"), readFileSync(join(path, ".git")));
    renameSync(path, `${path}-moved`);
    symlinkSync(precious, path);
    if (naive) repo.tryGit("worktree", "remove", "--force", path);
    else expect(() => removeWorktree(source, path)).toThrow("left alone");
    expect(existsSync(join(precious, "file"))).toBe(!naive);
  },
);

test("a removal takes exactly one session's entry, whatever the work tree's own .git says", async () => {
  using repo = GitRepo.withCommit();
  const other = "20250101-120000-000000" as SessionId;
  const { source, path } = await withWorktree(repo);
  const second = await withWorktree(repo, other);
  writeFileSync(join(path, ".git"), readFileSync(join(second.path, ".git")));
  removeWorktree(source, path);
  expect(repo.git("worktree", "list", "--porcelain").match(/^worktree .*$/gm)).toEqual([
    `worktree ${repo.path}`,
    `worktree ${second.path}`,
  ]);
  expect(readdirSync(second.path)).toEqual([".git"]);
});

test("a work tree that still holds something is left alone, and so is its .git", async () => {
  using repo = GitRepo.withCommit();
  const { source, path } = await withWorktree(repo);
  writeFileSync(join(path, "work"), "");
  expect(() => removeWorktree(source, path)).toThrow("left alone");
  expect(readdirSync(path).sort()).toEqual([".git", "work"]);
});

test("a branch is moved from where it was left, or refused with both ids", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const [first, second] = [repo.head, repo.commit("second").head];
  await createBranch(source, sessionId, first, never);
  await expect(createBranch(source, sessionId, first, never)).rejects.toMatchObject({ code: "branch_moved" });
  repo.git("update-ref", `refs/heads/session/${sessionId}`, second);
  const moved = moveBranch(source, sessionId, { from: first, to: second, why: "task accepted" }, never);
  await expect(moved).rejects.toMatchObject({
    code: "branch_moved",
    message: expect.stringMatching(`${first}.*${second}`),
    hint: expect.stringContaining(`update-ref refs/heads/session/${sessionId} ${first} ${second}`),
  });
  await expect(deleteBranch(source, sessionId, first, never)).rejects.toMatchObject({ code: "branch_moved" });
  repo.git("update-ref", "-d", `refs/heads/session/${sessionId}`);
  await expect(moveBranch(source, sessionId, { from: first, to: second, why: "task accepted" }, never)).rejects.toThrow(
    "is gone",
  );
});

test("one of two simultaneous moves wins", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const [first, second, third] = [repo.head, repo.commit("second").head, repo.commit("third").head];
  await createBranch(source, sessionId, first, never);
  const moves = [second, third].map((to) =>
    moveBranch(source, sessionId, { from: first, to, why: "task accepted" }, never),
  );
  const ends = await Promise.allSettled(moves);
  expect(ends.map((end) => end.status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a branch that became another name of the person's own branch is never written through", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const [first, second] = [repo.head, repo.commit("second").head];
  repo.git("branch", "mine", first);
  repo.git("symbolic-ref", `refs/heads/session/${sessionId}`, "refs/heads/mine");
  await expect(branchTip(source, sessionId, never)).rejects.toMatchObject({ code: "branch_moved" });
  await moveBranch(source, sessionId, { from: first, to: second, why: "task accepted" }, never).catch(() => undefined);
  expect(repo.git("rev-parse", "mine").trim()).toBe(first);
});

test("a packed branch is moved and removed like a loose one", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  const [first, second] = [repo.head, repo.commit("second").head];
  await createBranch(source, sessionId, first, never);
  repo.git("pack-refs", "--all", "--prune");
  await moveBranch(source, sessionId, { from: first, to: second, why: "task accepted" }, never);
  await deleteBranch(source, sessionId, second, never);
  expect(await branchTip(source, sessionId, never)).toBeNull();
});

test("a branch that a person has checked out is not deleted under them", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  await createBranch(source, sessionId, repo.head, never);
  repo.git("checkout", "-q", `session/${sessionId}`);
  await expect(deleteBranch(source, sessionId, repo.head, never)).rejects.toMatchObject({ code: "usage" });
});

test("a lock of another git is named after a wait, and our own leftovers are cleared by the session's holder", async () => {
  using repo = GitRepo.withCommit();
  const { source, path } = await withWorktree(repo);
  const quick = { ...source, git: source.git.with([["core.filesRefLockTimeout", "50"]]) };
  const lock = join(repo.path, `.git/refs/heads/session/${sessionId}.lock`);
  writeFileSync(lock, "");
  const next = repo.commit("next").head;
  const move = () => moveBranch(quick, sessionId, { from: source.head, to: next, why: "task accepted" }, never);
  await expect(move()).rejects.toMatchObject({ code: "infra", message: expect.stringContaining(lock) });
  writeFileSync(join(repo.path, ".git/worktrees/workspace/index.lock"), "");
  await expect(writeAdminIndex(quick, path, next, never)).rejects.toThrow("index.lock");
  clearOwnLocks(source, sessionId, path);
  await move();
  await writeAdminIndex(source, path, next, never);
});

test("trees, ancestry, files and unmerged commits are read from history", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "1", "d/b.txt": "22", "long.txt": `33${"3".repeat(2_999_999)}` });
  const source = await repo.preflight();
  const first = repo.head;
  symlinkSync("a.txt", join(repo.path, "link"));
  const second = repo.commit("second").head;
  repo.git("branch", `session/${sessionId}`);
  repo.git("reset", "-q", "--hard", first);
  expect(await commitTree(source, second, never)).toBe(repo.treeOf(second));
  expect(await isAncestor(source, { ancestor: first, of: second }, never)).toBe(true);
  expect(await isAncestor(source, { ancestor: second, of: first }, never)).toBe(false);
  expect(await unmergedCount(source, sessionId, never)).toBe(1);
  repo.git("merge", "-q", `session/${sessionId}`);
  expect(await unmergedCount(source, sessionId, never)).toBe(0);
  const read = (path: string) => readCommitted(source, { tree: repo.treeOf(second), path, maxBytes: 2 }, never);
  expect(await read("d/b.txt")).toEqual({ content: Buffer.from("22"), size: 2 });
  expect(await read("long.txt")).toEqual({ content: Buffer.from("33"), size: 3_000_001 });
  expect([await read("d"), await read("link"), await read("absent"), await read("a.txt/x"), await read("")]).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});
