import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { HostPath, SessionId } from "../../../runner/base/ids.js";
import { addWorktree, writeAdminIndex } from "../../../runner/source/worktree/worktree.js";
import { ensureWorktree } from "../../../runner/source/worktree/worktree-mend.js";
import { differences, GitRepo, never, sessionId } from "../../helpers/git-repo.js";

/** A session's work tree with its files and one more that nobody committed. */
async function worked(repo: GitRepo, id: SessionId = sessionId) {
  const source = await repo.preflight();
  const path = join(repo.tilthHome, "sessions", id, "workspace") as HostPath;
  await addWorktree(source, { id, path, base: source.head, group: null }, never);
  writeFileSync(join(path, "a.txt"), "one\n");
  writeFileSync(join(path, "unfinished"), "work");
  const place = { id, path, group: null };
  return {
    source,
    path,
    place,
    record: join(repo.path, ".git/worktrees/workspace"),
    ensure: () => ensureWorktree(source, place),
    show: () => writeAdminIndex(source, path, source.head, never),
    status: () => repo.git("-C", path, "status", "--porcelain", "--branch").trim().split("\n"),
  };
}

const sound = [`## session/${sessionId}`, "?? unfinished"];

test("an intact work tree is left alone, to the byte", async () => {
  using repo = GitRepo.withCommit();
  const { ensure, path } = await worked(repo);
  const before = [repo.snapshot(), lstatSync(join(path, ".git")).ino, lstatSync(path).mtimeMs] as const;
  expect(ensure()).toBe("nothing");
  expect(differences(before[0], repo.snapshot())).toEqual([]);
  expect([lstatSync(join(path, ".git")).ino, lstatSync(path).mtimeMs]).toEqual(before.slice(1));
});

test.each([
  [
    "was pruned while the disk was away",
    (repo: GitRepo, path: string) => {
      renameSync(path, `${path}.away`);
      repo.git("worktree", "prune", "--expire=now");
      renameSync(`${path}.away`, path);
    },
  ],
  ["was deleted with all others", (repo: GitRepo) => rmSync(join(repo.path, ".git/worktrees"), { recursive: true })],
  [
    "lost its HEAD and says nothing of the source",
    (repo: GitRepo) => {
      for (const name of ["HEAD", "commondir"]) writeFileSync(join(repo.path, ".git/worktrees/workspace", name), "");
    },
  ],
  ["stands while the work tree has no .git", (_: GitRepo, path: string) => rmSync(join(path, ".git"))],
] as const)("a work tree entry that %s is made again, and no file of the work tree is touched", async (_, lose) => {
  using repo = GitRepo.withCommit();
  const { ensure, show, status, path } = await worked(repo);
  const before = ["a.txt", "unfinished"].map((name) => lstatSync(join(path, name)).ctimeMs);
  lose(repo, path);
  expect(() => status()).toThrow();
  expect(ensure()).toBe("record");
  await show();
  expect(status()).toEqual(sound);
  expect(["a.txt", "unfinished"].map((name) => lstatSync(join(path, name)).ctimeMs)).toEqual(before);
  expect(readdirSync(dirname(path))).toEqual(["workspace"]);
  expect(repo.git("worktree", "prune", "--dry-run", "--verbose")).toBe("");
  expect(ensure()).toBe("nothing");
});

test("a work tree entry is made again beside those of other sessions, under a name that is free", async () => {
  using repo = GitRepo.withCommit();
  const { ensure, show, status, record } = await worked(repo);
  rmSync(record, { recursive: true });
  const other = await worked(repo, "20250101-120000-bbbbbb" as SessionId);
  expect(other.record).toBe(record);
  expect(ensure()).toBe("record");
  await show();
  expect(status()).toEqual(sound);
  expect(other.ensure()).toBe("nothing");
  expect(repo.git("worktree", "list").match(/session\//g)).toHaveLength(2);
});

test.each([true, false])(
  "a folder that was deleted by hand is made again, empty (entry pruned: %s)",
  async (pruned) => {
    using repo = GitRepo.withCommit();
    const { ensure, show, status, path } = await worked(repo);
    rmSync(path, { recursive: true });
    if (pruned) repo.git("worktree", "prune", "--expire=now");
    expect(ensure()).toBe("folder");
    expect(readdirSync(path)).toEqual([".git"]);
    await show();
    expect(status()).toEqual([`## session/${sessionId}`, " D a.txt"]);
    expect(ensure(), "nobody has put the files there yet").toBe("folder");
  },
);

test("a link in the work tree's place is refused, while git's own way writes through it", async () => {
  using repo = GitRepo.withCommit();
  const { ensure, path } = await worked(repo);
  const away = join(repo.root, "away");
  mkdirSync(away);
  writeFileSync(join(away, ".git"), "mine");
  renameSync(path, `${path}.old`);
  symlinkSync(away, path);
  const before = repo.snapshot();
  expect(ensure).toThrow(expect.objectContaining({ code: "usage", message: expect.stringContaining("is a link") }));
  expect(differences(before, repo.snapshot())).toEqual([]);
  expect(readFileSync(join(away, ".git"), "utf8")).toBe("mine");
  execFileSync("git", ["worktree", "repair"], { cwd: repo.path, env: repo.env(), stdio: "ignore" });
  expect(readFileSync(join(away, ".git"), "utf8"), "naive").toMatch(/^gitdir: /);
});

test("a link or a pipe for a .git is replaced without being opened, and a folder is left and named", async () => {
  using repo = GitRepo.withCommit();
  const { ensure, path, status, show } = await worked(repo);
  const target = join(repo.root, "target");
  writeFileSync(target, "mine");
  for (const plant of [
    (gitfile: string) => symlinkSync(target, gitfile),
    (gitfile: string) => void execFileSync("mkfifo", [gitfile]),
  ]) {
    rmSync(join(path, ".git"));
    plant(join(path, ".git"));
    expect(ensure()).toBe("record");
    await show();
    expect(status()).toEqual(sound);
  }
  expect(readFileSync(target, "utf8")).toBe("mine");
  rmSync(join(path, ".git"));
  mkdirSync(join(path, ".git/objects"), { recursive: true });
  expect(ensure).toThrow(expect.objectContaining({ code: "usage", message: expect.stringContaining("is a folder") }));
  expect(existsSync(join(path, ".git/objects"))).toBe(true);
});

test("a work tree that moved with its home is refused with the old place, and is whole once git is told", async () => {
  using repo = GitRepo.withCommit();
  const { source, place, path, status } = await worked(repo);
  const moved = `${repo.tilthHome}-moved`;
  renameSync(repo.tilthHome, moved);
  const there = { ...place, path: path.replace(repo.tilthHome, moved) as HostPath };
  const before = repo.snapshot();
  const error = caught(() => ensureWorktree(source, there));
  expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(`was '${path}'`) });
  expect(error).toMatchObject({ hint: expect.stringContaining(`worktree repair '${there.path}'`) });
  expect(differences(before, repo.snapshot())).toEqual([]);
  const [, typed = ""] = /: (git .*)$/.exec((error as { hint: string }).hint) ?? [];
  execFileSync("sh", ["-c", typed], { env: repo.env() });
  expect(ensureWorktree(source, there)).toBe("nothing");
  renameSync(moved, repo.tilthHome);
  const back = caught(() => ensureWorktree(source, place));
  expect(back).toMatchObject({ code: "usage", message: expect.stringContaining(`was '${there.path}'`) });
  repo.git("worktree", "repair", path);
  expect(status()).toEqual(sound);
});

test("the owner of a copied home is told to use the one that git knows", async () => {
  using repo = GitRepo.withCommit();
  const { source, place, path } = await worked(repo);
  const copy = `${repo.tilthHome}-copy`;
  execFileSync("cp", ["-a", repo.tilthHome, copy]);
  const copied = { ...place, path: path.replace(repo.tilthHome, copy) as HostPath };
  const error = caught(() => ensureWorktree(source, copied));
  expect(error).toMatchObject({ code: "usage", hint: expect.stringContaining(`TILTH_HOME='${repo.tilthHome}'`) });
});

test("a branch that a person has checked out meanwhile gets no second work tree", async () => {
  using repo = GitRepo.withCommit();
  const { ensure, record } = await worked(repo);
  rmSync(record, { recursive: true });
  repo.git("checkout", "-q", `session/${sessionId}`);
  const refusal = (at: string) =>
    expect.objectContaining({ code: "usage", message: expect.stringContaining(`is checked out at '${at}'`) });
  expect(ensure).toThrow(refusal(repo.path));
  repo.git("checkout", "-q", "main");
  const review = join(repo.root, "review");
  repo.git("worktree", "add", "-q", review, `session/${sessionId}`);
  expect(ensure).toThrow(refusal(review));
  expect(readdirSync(join(repo.path, ".git/worktrees"))).toEqual(["review"]);
});

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
