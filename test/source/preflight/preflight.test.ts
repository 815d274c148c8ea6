import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HostPath } from "../../../runner/base/ids.js";
import { measureBase, packBase } from "../../../runner/source/git/base-pack.js";
import { HostGit } from "../../../runner/source/git/host-git.js";
import { locate } from "../../../runner/source/git/repository.js";
import { refuseForeignOwner } from "../../../runner/source/preflight/ownership.js";
import { preflightSource } from "../../../runner/source/preflight/preflight.js";
import { Forge } from "../../helpers/git-forge.js";
import { GitRepo, never } from "../../helpers/git-repo.js";

const usage = (text: string | RegExp) => ({
  code: "usage",
  hint: expect.stringMatching(/./),
  message: expect.stringMatching(text),
});

test("a source is described whole: head, branch, state, places", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "1" }, "a: b\nc 'd\"");
  const source = await repo.preflight();
  expect(source).toMatchObject({
    workTree: repo.path,
    gitDir: join(repo.path, ".git"),
    head: repo.head,
    branch: "main",
    dirty: "clean",
  });
  repo.files({ "a.txt": "2" }).git("checkout", "-q", "--detach");
  expect(await repo.preflight()).toMatchObject({ branch: null, dirty: "dirty" });
});

test("untracked files do not make a source dirty", async () => {
  using repo = GitRepo.withCommit().files({ new: "1" });
  expect((await repo.preflight()).dirty).toBe("clean");
});

test("a difference that only a filter can judge is unknown, and the filter is not asked", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "1", ".gitattributes": "a.txt filter=x\n" }).config(
    "filter.x.clean",
    "tr a b",
  );
  expect((await repo.preflight({ trust: true })).dirty).toBe("clean");
  repo.files({ "a.txt": "2" });
  expect((await repo.preflight()).dirty).toBe("unknown");
});

test("linked work trees, submodules, shallow clones and repositories with submodules are accepted as sources", async () => {
  using repo = GitRepo.withCommit().commit("second");
  const linked = join(repo.root, "linked");
  repo.git("worktree", "add", "-q", linked);
  const source = await repo.preflight({ path: linked });
  expect(source).toMatchObject({ workTree: linked, commonDir: join(repo.path, ".git"), branch: "linked" });
  const shallow = join(repo.root, "shallow");
  repo.git("clone", "-q", "--depth=1", `file://${repo.path}`, shallow);
  expect(await repo.preflight({ path: shallow })).toMatchObject({ head: repo.head });
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo.path, "sub");
  repo.commit("with a submodule");
  expect(await repo.preflight()).toMatchObject({ dirty: "clean" });
  expect(await repo.preflight({ path: join(repo.path, "sub") })).toMatchObject({
    gitDir: join(repo.path, ".git/modules/sub"),
  });
});

interface Refusal {
  readonly name: string;
  /** gives the path of the source if it is not the repository's own */
  readonly spoil: (repo: GitRepo) => string | undefined;
  readonly says: string;
}

/** Runs `steps` and gives the path `name` beside the repository. */
const made =
  (name: string, ...args: string[]) =>
  (repo: GitRepo) => {
    repo.git(...args);
    return join(repo.root, name);
  };
const after =
  (...steps: ((repo: GitRepo) => unknown)[]) =>
  (repo: GitRepo) => {
    for (const step of steps) step(repo);
    return undefined;
  };

const refusals: readonly Refusal[] = [
  { name: "a missing path", spoil: (r) => join(r.root, "absent"), says: "there is no folder" },
  { name: "a file", spoil: (r) => join(r.path, "a.txt"), says: "is not a folder" },
  { name: "a folder without git", spoil: (r) => r.userHome, says: "is not a git repository" },
  {
    name: "a folder inside a repository",
    spoil: (r) => join(r.files({ "sub/f": "" }).path, "sub"),
    says: "folder inside a repository",
  },
  { name: "a bare repository", spoil: made("bare", "clone", "-q", "--bare", ".", "../bare"), says: "bare repository" },
  { name: "core.bare", spoil: after((r) => r.git("config", "core.bare", "true")), says: "it is bare" },
  {
    name: "a work tree elsewhere",
    spoil: after((r) => r.config("core.worktree", r.userHome)),
    says: "work tree is elsewhere",
  },
  { name: "SHA-256", spoil: made("sha256", "init", "-q", "--object-format=sha256", "../sha256"), says: "sha256" },
  { name: "no commits", spoil: made("empty", "init", "-q", "../empty"), says: "no commit" },
  { name: "a branch named session", spoil: after((r) => r.git("branch", "session")), says: "branch named 'session'" },
  {
    name: "a packed branch named session",
    spoil: after(
      (r) => r.git("branch", "session"),
      (r) => r.git("pack-refs", "--all"),
    ),
    says: "branch named 'session'",
  },
  {
    name: "a config that does not parse",
    spoil: after((r) => r.files({ ".git/config": "[core\n" })),
    says: "is not a git config",
  },
  {
    name: "a gitfile that leads nowhere",
    spoil: after(
      (r) => rmSync(join(r.path, ".git"), { recursive: true }),
      (r) => r.files({ ".git": "gitdir: gone\n" }),
    ),
    says: "not a usable git repository",
  },
  {
    name: "a FIFO for a HEAD",
    spoil: after(
      (r) => rmSync(join(r.path, ".git/HEAD")),
      (r) => execFileSync("mkfifo", [join(r.path, ".git/HEAD")]),
    ),
    says: "HEAD' is no plain file",
  },
];

describe.each(refusals)("$name", ({ spoil, says }) => {
  test("is refused in a sentence with a remedy", async () => {
    using repo = GitRepo.withCommit();
    const path = spoil(repo);
    await expect(repo.preflight(path === undefined ? {} : { path })).rejects.toMatchObject(usage(says));
    expect(readdirSync(repo.tilthHome)).toEqual([]);
  });
});

test.each(["logs", "refs", "refs/heads", "refs/heads/session", "objects", "worktrees"])(
  "a link at %s is refused by name",
  async (name) => {
    using repo = GitRepo.withCommit();
    const [place, away] = [join(repo.path, ".git", name), join(repo.root, "away")];
    try {
      renameSync(place, away);
    } catch {
      mkdirSync(away);
    }
    symlinkSync(away, place);
    await expect(repo.preflight()).rejects.toMatchObject(usage(`${name}' is a link`));
  },
);

test("a home inside the source, and a source inside the home, are refused, and a name that only starts alike is not", async () => {
  using repo = GitRepo.withCommit();
  const go = (home: string) => {
    mkdirSync(home, { recursive: true });
    return preflightSource(repo.path, { git: repo.hostGit(), home: home as HostPath, trust: false, signal: never });
  };
  await expect(go(join(repo.path, ".tilth"))).rejects.toMatchObject(usage("may not lie inside one another"));
  await expect(go(repo.root)).rejects.toMatchObject(usage("may not lie inside one another"));
  await go(`${repo.path}-home`);
});

test("a repository of another owner is refused until the person's git config calls it safe", async () => {
  using repo = GitRepo.withCommit();
  const go = (uid: number) => refuseForeignOwner(repo.hostGit(), locate(repo.path), uid, never);
  const mine = statSync(repo.path).uid;
  await go(mine);
  await expect(go(mine + 1)).rejects.toMatchObject(usage("belongs to another user"));
  for (const [directory, safe] of [
    ["/elsewhere", false],
    [`${repo.path}-2`, false],
    [repo.path, true],
    [`${repo.root}/*`, true],
    ["*", true],
  ] as const) {
    writeFileSync(join(repo.userHome, ".gitconfig"), `[safe]\n\tdirectory = ${directory}\n`);
    const went = await go(mine + 1).then(
      () => true,
      () => false,
    );
    expect([directory, went]).toEqual([directory, safe]);
  }
});

test("a git that lies in the source is not run", async () => {
  using repo = GitRepo.withCommit();
  mkdirSync(join(repo.path, "bin"));
  execFileSync("cp", [repo.hostGit().binary, join(repo.path, "bin/git")]);
  const git = HostGit.find({ ...repo.places(), path: `${join(repo.path, "bin")}:/usr/bin` });
  await expect(
    preflightSource(repo.path, { git, home: repo.tilthHome, trust: false, signal: never }),
  ).rejects.toMatchObject(usage("lies in the source"));
});

test("the base travels with its commit and tree, and none of its history", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "1", "d/b.txt": "2" });
  repo.files({ "a.txt": "3" }).commit("second");
  const source = await repo.preflight();
  expect(await measureBase(source, source.head, never)).toMatchObject({ entries: 3, bytes: 2 });
  const chunks = [];
  for await (const chunk of packBase(source, source.head, never)) chunks.push(chunk);
  using other = new GitRepo();
  other.pipe(Buffer.concat(chunks), "index-pack", "--stdin");
  const types = other
    .git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)")
    .split("\n")
    .sort()
    .join(" ")
    .trim();
  expect(types).toBe("blob blob commit tree tree");
  expect(other.git("cat-file", "-t", source.head).trim()).toBe("commit");
});

test("a tree that names a hundred million files in a few objects is refused by counting", async () => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  let level = forge.tree([{ mode: "100644", name: "f", oid: forge.blob("") }]);
  for (let depth = 0; depth < 8; depth++) {
    level = forge.tree(Array.from({ length: 10 }, (_, at) => ({ mode: "40000", name: `d${at}`, oid: level })));
  }
  const commit = forge.commit(level, []);
  const chunks = [];
  for await (const chunk of forge.pack()) chunks.push(chunk);
  repo.pipe(Buffer.concat(chunks), "index-pack", "--stdin");
  const source = await repo.preflight();
  await expect(measureBase(source, commit, never)).rejects.toMatchObject(usage("more than 500000"));
});

test.each([
  ["long names above many files", 15, 40_000, "paths of more than 100 MiB"],
  ["names that make a path nobody can open", 17, 1, "a path of more than 4000 bytes"],
])("a tree with %s is refused by counting", async (_, depth, files, why) => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  const oid = forge.blob("");
  const many = Array.from({ length: files }, (_, at) => ({ mode: "100644", name: `f${at}`, oid }));
  let tree = forge.tree(many);
  for (let at = 0; at < depth; at++) tree = forge.tree([{ mode: "40000", name: "d".repeat(240), oid: tree }]);
  const commit = forge.commit(tree, []);
  const chunks = [];
  for await (const chunk of forge.pack()) chunks.push(chunk);
  repo.pipe(Buffer.concat(chunks), "index-pack", "--stdin");
  const source = await repo.preflight();
  await expect(measureBase(source, commit, never)).rejects.toMatchObject(usage(why));
});

test("a partial clone that lacks files of its HEAD is reported as one, and nothing is fetched", async () => {
  using repo = GitRepo.withCommit().config("uploadpack.allowFilter", "true");
  const clone = mkdtempSync(join(repo.root, "partial-"));
  repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", `file://${repo.path}`, clone);
  const source = await repo.preflight({ path: clone });
  await expect(measureBase(source, source.head, never)).rejects.toMatchObject({
    ...usage("partial clone"),
    hint: expect.stringContaining("--refetch"),
  });
  expect(
    execFileSync("git", ["rev-list", "--objects", "--missing=print", "HEAD"], { cwd: clone, encoding: "utf8" }),
  ).toContain("?");
});
