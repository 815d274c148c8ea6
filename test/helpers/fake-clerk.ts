import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, readdir, readlink, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { type CommitId, commitId, type TreeId, treeId } from "../../runner/base/ids.js";
import type { Change, Clerk, Diff, NewCommit, Person, Snapshot, TreeEntry } from "../../runner/hands/ports/clerk.js";
import { parseLineCounts, parseRawDiff, parseTreeListing } from "../../runner/hands/roles/clerk/shell/git-output.js";
import { pathFromBytes, zeroSeparated } from "../../runner/hands/roles/clerk/shell/path-names.js";
import { ignoredNames } from "../../runner/hands/roles/ignored-names.js";
import { bareRepository, type GitRun, git } from "./fake-git.js";

/** The clerk's port on host git: for worktrees that the test itself filled. */
export class FakeClerk implements Clerk {
  private seenLeftOut = new Set<string>();
  private indexes = 0;
  private readonly listings = new Map<TreeId, Promise<readonly TreeEntry[]>>();

  constructor(
    private readonly repo: string,
    private readonly worktree: string,
  ) {}

  async open(commit: CommitId): Promise<boolean> {
    if (!existsSync(this.repo)) bareRepository(this.repo);
    await writeFile(join(this.repo, "info/exclude"), `${ignoredNames.join("\n")}\n`);
    await writeFile(join(this.repo, "info/attributes"), "* -text !eol -ident -filter !working-tree-encoding\n");
    return this.holds(commit);
  }

  async holds(object: CommitId | TreeId): Promise<boolean> {
    return this.git(["rev-list", "--quiet", "--objects", object]).then(
      () => true,
      () => false,
    );
  }

  async takePack(pack: AsyncIterable<Uint8Array>, tip: CommitId): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of pack) chunks.push(chunk);
    await this.git(["index-pack", "--stdin"], { input: Buffer.concat(chunks) });
    const roots = await this.parentless(tip);
    await writeFile(join(this.repo, "shallow"), roots.map((root) => `${root}\n`).join(""));
    await this.git(["update-ref", "refs/tilth/base", tip]);
  }

  private async parentless(tip: CommitId): Promise<string[]> {
    const text = (await this.git(["cat-file", "commit", tip])).toString("latin1");
    const parents = [...text.matchAll(/^parent ([0-9a-f]{40})$/gm)].map((match) => commitId(match[1] ?? ""));
    const held = await Promise.all(
      parents.map((parent) =>
        this.git(["cat-file", "-e", parent]).then(
          () => parent,
          () => null,
        ),
      ),
    );
    const known = held.filter((parent) => parent !== null);
    if (known.length === 0) return parents.length > 0 ? [tip] : [];
    return (await Promise.all(known.map((parent) => this.parentless(parent)))).flat();
  }

  async materialise(commit: CommitId): Promise<void> {
    await this.empty();
    await this.git(["read-tree", commit]);
    await this.onWorktree(["checkout-index", "-a", "-f", "-u"]);
  }

  async treeWith(tree: TreeId, files: readonly { path: string; content: Uint8Array }[]): Promise<TreeId> {
    const env = this.ownIndex();
    await this.git(["read-tree", tree], { env });
    for (const { path, content } of files) {
      const oid = (await this.git(["hash-object", "-w", "--stdin"], { input: content })).toString("latin1").trim();
      await this.git(["update-index", "--add", "--cacheinfo", `100644,${oid},${path}`], { env });
    }
    return treeId((await this.git(["write-tree"], { env })).toString("latin1").trim());
  }

  async mixed(tree: TreeId, other: TreeId, paths: readonly string[]): Promise<TreeId> {
    const env = this.ownIndex();
    const wanted = new Set(paths);
    const put = (await this.list(other)).filter(({ path }) => wanted.has(path));
    const lines = [
      ...paths.map((path) => `0 ${"0".repeat(40)}\t${path}\0`),
      ...put.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`),
    ];
    await this.git(["read-tree", tree], { env });
    await this.git(["update-index", "-z", "--index-info"], { env, input: Buffer.from(lines.join("")) });
    return treeId((await this.git(["write-tree"], { env })).toString("latin1").trim());
  }

  /** Trees may be made at the same time. */
  private ownIndex(): { GIT_INDEX_FILE: string } {
    this.indexes += 1;
    return { GIT_INDEX_FILE: join(this.repo, `index.tree-${this.indexes}`) };
  }

  async treeOf(commit: CommitId): Promise<TreeId> {
    return treeId((await this.git(["rev-parse", "--verify", `${commit}^{tree}`])).toString("latin1").trim());
  }

  async snapshot(last: TreeId): Promise<Snapshot> {
    const problems = await this.scan(await this.fixtures(last));
    if (problems.length > 0) return { ok: false, problems };
    const ignored = await this.onWorktree(["ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"]);
    await this.onWorktree(["add", "-A", "."]);
    const tree = treeId((await this.git(["write-tree"])).toString("latin1").trim());
    const all = [...zeroSeparated(ignored)].map(pathFromBytes);
    const leftOut = all.filter((path) => !this.seenLeftOut.has(path));
    this.seenLeftOut = new Set(all);
    return { ok: true, tree, changes: await this.changes(last, tree), leftOut };
  }

  async changes(from: TreeId, to: TreeId): Promise<readonly Change[]> {
    return parseRawDiff(await this.git(["diff-tree", "-r", "--raw", "-z", "--no-renames", from, to]));
  }

  private async lineCounts(from: TreeId, to: TreeId): Promise<Diff["largest"]> {
    const told = await this.git(["diff-tree", "-r", "--numstat", "-z", "--no-renames", from, to]);
    return parseLineCounts(told).sort((a, b) => (b.lines ?? 0) - (a.lines ?? 0));
  }

  async diff(from: TreeId, to: TreeId, maxBytes: number): Promise<Diff> {
    const whole = await this.git(["diff-tree", "-r", "-p", "--no-renames", "--text", "--no-color", from, to]);
    const truncated = whole.length > maxBytes;
    const text = whole.subarray(0, maxBytes).toString("utf8");
    return {
      text: truncated ? `${text}\n[diff cut: ${whole.length} bytes]\n` : text,
      bytes: whole.length,
      truncated,
      largest: truncated ? await this.lineCounts(from, to) : [],
    };
  }

  async list(tree: TreeId): Promise<readonly TreeEntry[]> {
    const listing = this.listings.get(tree) ?? this.git(["ls-tree", "-r", "-l", "-z", tree]).then(parseTreeListing);
    this.listings.set(tree, listing);
    // a tree that is missing now may come with the next pack
    listing.catch(() => this.listings.delete(tree));
    return listing;
  }

  async blob(tree: TreeId, path: string, maxBytes: number): Promise<Uint8Array | null> {
    const entry = (await this.list(tree)).find((each) => each.path === path);
    if (!entry?.mode.startsWith("100")) return null;
    return (await this.git(["cat-file", "blob", entry.oid])).subarray(0, maxBytes);
  }

  async content(blob: string, maxBytes: number): Promise<Uint8Array | null> {
    const bytes = await this.git(["cat-file", "blob", blob]).catch(() => null);
    return bytes !== null && bytes.length <= maxBytes ? bytes : null;
  }

  async commit(commit: NewCommit): Promise<CommitId> {
    const date = `${Math.floor(commit.date.getTime() / 1000)} +0000`;
    const env = { ...identity("AUTHOR", commit.author, date), ...identity("COMMITTER", commit.committer, date) };
    const made = await this.git(["commit-tree", commit.tree, "-p", commit.parent], { input: commit.message, env });
    return commitId(made.toString("latin1").trim());
  }

  async *pack(commit: CommitId, base: CommitId): AsyncGenerator<Uint8Array> {
    yield await this.git(["pack-objects", "--revs", "--stdout", "-q"], { input: `${commit}\n^${base}\n` });
  }

  async partialPatch(last: TreeId, maxBytes: number): Promise<Uint8Array> {
    const snapshot = await this.snapshot(last);
    if (snapshot.ok) return Buffer.from((await this.diff(last, snapshot.tree, maxBytes)).text);
    return Buffer.from(snapshot.problems.map(({ path, why }) => `# ${path}: ${why}\n`).join(""));
  }

  async defuse(): ReturnType<Clerk["defuse"]> {
    const [renamed, executes]: [string[], string[]] = [[], []];
    await this.walk(async (path, kind) => {
      if (kind === "special") await rm(join(this.worktree, path), { force: true });
      if (/(^|\/)(\.envrc|Makefile|\.pre-commit-config\.yaml)$/.test(path)) executes.push(path);
      if (kind !== "repository") return;
      for (const name of ["config", "hooks", ".git/config", ".git/hooks"]) {
        const from = join(this.worktree, path, name);
        await rename(from, `${from}.tilth-disabled`).then(
          () => renamed.push(join(path, name)),
          () => undefined,
        );
      }
    });
    return { renamed, executes, problem: null };
  }

  async empty(): Promise<void> {
    // find takes names as bytes, which fs.rm does not
    const all = ["-mindepth", "1", "-not", "-path", "./.git", "-not", "-path", "./.git/*"];
    const find = (...what: string[]) => promisify(execFile)("find", [".", ...all, ...what], { cwd: this.worktree });
    const opened = ["-type", "d", "-not", "-perm", "-700", "-exec", "chmod", "700", "{}", ";"];
    await find("-delete").catch(() => find(...opened).then(() => find("-delete")));
  }

  private async scan(fixtures: ReadonlySet<string>): Promise<{ path: string; why: string }[]> {
    const problems: { path: string; why: string }[] = [];
    await this.walk(async (path, kind) => {
      if (kind === "special") problems.push({ path, why: "is no file, folder or link" });
      if (kind === "unreadable") problems.push({ path, why: "cannot be read" });
      if (kind === "repository" && !fixtures.has(path)) problems.push({ path, why: "is a nested git repository" });
      if (kind === "link" && (await this.leadsOut(path))) problems.push({ path, why: "is a link that leads out" });
    });
    return problems;
  }

  private async fixtures(last: TreeId): Promise<Set<string>> {
    const heads = (await this.list(last)).filter(({ path }) => path.endsWith("/HEAD"));
    return new Set(heads.map(({ path }) => dirname(path)));
  }

  private async leadsOut(path: string): Promise<boolean> {
    const target = await readlink(join(this.worktree, path));
    const inside = normalize(join(dirname(path), target));
    return target.startsWith("/") || inside.startsWith("..") || inside.split("/").includes(".git");
  }

  private async walk(visit: (path: string, kind: Kind) => Promise<void>): Promise<void> {
    const enter = async (folder: string): Promise<void> => {
      for (const entry of await readdir(join(this.worktree, folder), { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.name === ".git" || ignoredNames.some((name) => name === entry.name)) continue;
        const mode = (await lstat(join(this.worktree, path)).catch(() => null))?.mode;
        if (mode === undefined) continue; // a name that is not UTF-8, which only git can read
        if (entry.isSymbolicLink()) await visit(path, "link");
        else if (!entry.isDirectory() && !entry.isFile()) await visit(path, "special");
        else if ((mode & 0o400) === 0) await visit(path, "unreadable");
        else if (entry.isDirectory()) {
          const names = await readdir(join(this.worktree, path));
          const bare = ["HEAD", "objects", "refs"].every((name) => names.includes(name));
          await visit(path, bare || names.includes(".git") ? "repository" : "folder");
          await enter(path);
        } else await visit(path, "file");
      }
    };
    await enter("");
  }

  private git(args: readonly string[], run: GitRun = {}): Promise<Buffer> {
    return git(["--git-dir", this.repo, ...args], run);
  }

  private onWorktree(args: readonly string[]): Promise<Buffer> {
    return git(["--git-dir", this.repo, "--work-tree", this.worktree, ...args], { cwd: this.worktree });
  }
}

type Kind = "file" | "folder" | "link" | "special" | "unreadable" | "repository";

function identity(role: "AUTHOR" | "COMMITTER", person: Person, date: string): Record<string, string> {
  return { [`GIT_${role}_NAME`]: person.name, [`GIT_${role}_EMAIL`]: person.email, [`GIT_${role}_DATE`]: date };
}
