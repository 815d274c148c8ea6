import { spawnSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitId } from "../../../runner/base/ids.js";
import { importObjects } from "../../../runner/source/import/import.js";
import { isDotGitLike } from "../../../runner/source/import/import-policy.js";
import { Forge, type ForgedEntry } from "../../helpers/git-forge.js";
import { differences, GitRepo, never, sessionId } from "../../helpers/git-repo.js";

interface Forged {
  readonly entries: (forge: Forge) => readonly ForgedEntry[];
  readonly says: string | RegExp;
}

const file = (forge: Forge, name: string | Buffer, mode = "100644"): ForgedEntry => ({
  mode,
  name,
  oid: forge.blob("x"),
});
const link = (forge: Forge, name: string, target: string): ForgedEntry => ({
  mode: "120000",
  name,
  oid: forge.blob(target),
});
const folder = (forge: Forge, name: string, entries: readonly ForgedEntry[]): ForgedEntry => ({
  mode: "40000",
  name,
  oid: forge.tree(entries),
});

const hostile: Readonly<Record<string, Forged>> = {
  "a file named .git": { entries: (f) => [file(f, ".git")], says: "hasDotgit" },
  "a folder named .GIT": { entries: (f) => [folder(f, ".GIT", [file(f, "config")])], says: "hasDotgit" },
  "a .git for macOS": { entries: (f) => [file(f, ".g\u200cit")], says: "hasDotgit" },
  "a .git for Windows": { entries: (f) => [file(f, "git~1")], says: "hasDotgit" },
  "an entry named ..": { entries: (f) => [folder(f, "..", [file(f, "x")])], says: "hasDotdot" },
  "a name with a slash": { entries: (f) => [file(f, "a/../../x")], says: "fullPathname" },
  "an empty name": { entries: (f) => [file(f, "")], says: /empty/i },
  "a setuid mode": { entries: (f) => [file(f, "x", "104755")], says: "badFilemode" },
  "a group-writable mode": { entries: (f) => [file(f, "x", "100664")], says: "badFilemode" },
  "a padded mode": { entries: (f) => [file(f, "x", "0100644")], says: "zeroPadded" },
  "the same name twice": { entries: (f) => [file(f, "x"), file(f, "x")], says: "duplicateEntries" },
  "names out of order": { entries: (f) => [file(f, "z"), file(f, "y")], says: "treeNotSorted" },
  "a submodule": { entries: () => [{ mode: "160000", name: "sub", oid: "1".repeat(40) }], says: "submodule" },
  "a link that leads out": { entries: (f) => [link(f, "l", "../out")], says: "leads out" },
  "a link to an absolute path": { entries: (f) => [link(f, "l", "/etc/passwd")], says: "leads out" },
  "links that lead out together": {
    entries: (f) => [folder(f, "d", [link(f, "l", "../up/../..")]), link(f, "up", "d")],
    says: "leads out",
  },
  "a link into .git": { entries: (f) => [link(f, "l", ".GIT/hooks")], says: "leads into .git" },
  "a blob that is not there": {
    entries: () => [{ mode: "100644", name: "x", oid: "1".repeat(40) }],
    says: /1{40}|missing/,
  },
  "a tree where a blob should be": { entries: (f) => [{ mode: "100644", name: "x", oid: f.tree([]) }], says: /./ },
};

function importing(
  repo: GitRepo,
  forge: Forge,
  given: { tree: string; commit: string; allowed?: (path: string) => boolean; without?: string[] },
) {
  return async () => {
    const source = await repo.preflight();
    const { commit, tree, allowed = null, without = [] } = given;
    const incoming = {
      session: sessionId,
      quarantine: join(repo.root, "incoming"),
      pack: forge.pack(without),
      commit: commitId(commit),
      tree: tree as never,
      parent: source.head,
      allowed,
    };
    await importObjects(source, incoming, never);
  };
}

function has(repo: GitRepo, commit: string): boolean {
  return (
    spawnSync("git", ["cat-file", "-e", commit], { cwd: repo.path, env: repo.env(), stdio: "ignore" }).status === 0
  );
}

describe.each(Object.entries(hostile))("%s", (_, { entries, says }) => {
  test("gets in by a naive unpack, is refused by ours, and leaves nothing", async () => {
    using repo = GitRepo.withCommit();
    using forge = new Forge(repo);
    const tree = forge.tree(entries(forge));
    const commit = forge.commit(tree, [repo.head]);
    const before = repo.snapshot();
    await expect(importing(repo, forge, { tree, commit })()).rejects.toMatchObject({
      code: "infra",
      message: expect.stringMatching(says),
    });
    expect(differences(before, repo.snapshot())).toEqual([]);
    expect(existsSync(join(repo.root, "incoming"))).toBe(false);
    for await (const pack of forge.pack()) repo.pipe(pack, "index-pack", "--stdin");
    expect(has(repo, commit)).toBe(true);
  });
});

test("an honest commit gets in whole, by objects alone, and importing it twice does no harm", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "one\n", "keep/b.txt": "2" });
  using forge = new Forge(repo);
  const keep = repo.git("rev-parse", "HEAD:keep").trim();
  const inside = [
    link(forge, "l", "../keep/b.txt"),
    link(forge, "self", "self"),
    file(forge, Buffer.from([0xff, 0x0a])),
  ];
  const tree = forge.tree([
    file(forge, "a.txt", "100755"),
    folder(forge, "d", inside),
    { mode: "40000", name: "keep", oid: keep },
  ]);
  const commit = forge.commit(tree, [repo.head]);
  const before = repo.snapshot();
  const go = importing(repo, forge, { tree, commit });
  await go();
  await go();
  expect(
    differences(before, repo.snapshot()).filter(
      (path) => !/^\.git\/objects\/pack\/pack-[0-9a-f]{40}\.(keep|pack|idx|rev)$/.test(path),
    ),
  ).toEqual([]);
  expect(repo.git("fsck", "--strict", commit)).toBe("");
  expect(existsSync(join(repo.root, "incoming"))).toBe(false);
});

test("a source that was moved away meanwhile is not made again in its old place", async () => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  const tree = forge.tree([file(forge, "b.txt")]);
  const commit = forge.commit(tree, [repo.head]);
  const source = await repo.preflight();
  const pack = forge.pack([]);
  renameSync(repo.path, `${repo.path}.moved`);
  const quarantine = join(source.commonDir, "incoming");
  const at = { commit: commitId(commit), tree: tree as never, parent: source.head };
  const incoming = { session: sessionId, quarantine, pack, ...at };
  await expect(importObjects(source, { ...incoming, allowed: null }, never)).rejects.toMatchObject({
    code: "infra",
    message: expect.stringContaining("its folder is gone (ENOENT)"),
  });
  expect(existsSync(repo.path)).toBe(false);
});

test("a commit is not blamed for what its base already has: a submodule, and a link that leads out", async () => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  const odd = [link(forge, "out", "../elsewhere"), { mode: "160000", name: "sub", oid: "1".repeat(40) }];
  const base = forge.commit(forge.tree(odd), []);
  for await (const pack of forge.pack()) repo.pipe(pack, "unpack-objects");
  repo.git("update-ref", "HEAD", base);
  using next = new Forge(repo);
  const tree = next.tree([link(next, "in", "new"), file(next, "new"), ...odd]);
  await importing(repo, next, { tree, commit: next.commit(tree, [base]) })();
});

test.each([
  ["a file that its group could write", "100664", "40000"],
  ["a folder with a padded mode", "100644", "040000"],
])(
  "a base with %s keeps it, and changed trees are written as git writes them today",
  async (_, fileMode, folderMode) => {
    using repo = GitRepo.withCommit();
    using forge = new Forge(repo);
    const beside = forge.tree([{ ...file(forge, "b"), mode: fileMode }]);
    const old = { mode: folderMode, name: "d", oid: beside };
    const base = forge.commit(forge.tree([file(forge, "a", fileMode), old]), []);
    for await (const pack of forge.pack()) repo.pipe(pack, "unpack-objects");
    repo.git("update-ref", "HEAD", base);
    repo.git("read-tree", base);
    repo.files({ new: "x" }).git("add", "new");
    using next = new Forge(repo);
    const blob = next.blob("x");
    const d = { mode: "40000", name: "d", oid: beside };
    const entries = [file(forge, "a"), d, { mode: "100644", name: "new", oid: blob }];
    const tree = next.tree(entries);
    expect(tree).toBe(repo.git("write-tree").trim());
    const allowed = (path: string) => path === "new";
    await importing(repo, next, { tree, commit: next.commit(tree, [base]), allowed })();
  },
);

test("a new link that turns an old link out of the tree is caught", async () => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  const old = link(forge, "l", "a/b/../../f");
  const base = forge.commit(
    forge.tree([folder(forge, "a", [folder(forge, "b", [file(forge, "f")])]), folder(forge, "c", []), old]),
    [],
  );
  for await (const pack of forge.pack()) repo.pipe(pack, "unpack-objects");
  repo.git("update-ref", "HEAD", base);
  using next = new Forge(repo);
  const tree = next.tree([folder(next, "a", [link(next, "b", "../c")]), folder(next, "c", []), old]);
  await expect(importing(repo, next, { tree, commit: next.commit(tree, [base]) })()).rejects.toThrow(
    "'l': the link leads out",
  );
});

test("a commit with another tree, another parent, two parents or none is refused", async () => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  const tree = forge.tree([file(forge, "x")]);
  const other = forge.commit(tree, []);
  for (const parents of [[], [other], [repo.head, other]]) {
    await expect(importing(repo, forge, { tree, commit: forge.commit(tree, parents) })()).rejects.toThrow(
      "its parent is",
    );
  }
  const commit = forge.commit(tree, [repo.head]);
  await expect(importing(repo, forge, { tree: repo.treeOf("HEAD"), commit })()).rejects.toThrow("its tree is");
});

test("objects that are no part of the commit are refused", async () => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  const tree = forge.tree([file(forge, "x")]);
  const stowaway = forge.blob("not in the tree");
  const commit = forge.commit(tree, [repo.head]);
  await expect(importing(repo, forge, { tree, commit })()).rejects.toThrow("no part of it");
  await importing(repo, forge, { tree, commit, without: [stowaway] })();
});

test("a tree that names a hundred million paths is refused by counting", async () => {
  using repo = GitRepo.withCommit();
  using forge = new Forge(repo);
  let tree = forge.tree([file(forge, "f")]);
  for (let depth = 0; depth < 8; depth++)
    tree = forge.tree(Array.from({ length: 10 }, (_, at) => ({ mode: "40000", name: `d${at}`, oid: tree })));
  await expect(importing(repo, forge, { tree, commit: forge.commit(tree, [repo.head]) })()).rejects.toThrow(
    "more than 500000 paths",
  );
});

test("changes outside the paths that a session may change are refused, deletions too", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "1", "d/b.txt": "2" });
  using forge = new Forge(repo);
  const d = { mode: "40000", name: "d", oid: repo.git("rev-parse", "HEAD:d").trim() };
  const tree = forge.tree([d]);
  const commit = forge.commit(tree, [repo.head]);
  await expect(importing(repo, forge, { tree, commit, allowed: (path) => path.startsWith("d/") })()).rejects.toThrow(
    "may not be changed",
  );
  await importing(repo, forge, { tree, commit, allowed: (path) => path === "a.txt" })();
});

test.each([".git", ".GiT", "git~1", ".git.", ".git ", ".git::$INDEX_ALLOCATION", ".g\u200dit", "a\\.git", ".git\\x"])(
  "%j is taken for .git",
  (name) => {
    expect(isDotGitLike(name)).toBe(true);
  },
);

test.each([".gitignore", ".github", "git", ".git-x", "x.git", ".gitx", "git~10"])(
  "%j is not taken for .git",
  (name) => {
    expect(isDotGitLike(name)).toBe(false);
  },
);
