import { createHash } from "node:crypto";
import { type CommitId, commitId, type TreeId, treeId } from "../../runner/base/ids.js";
import type { Change, Clerk, Diff, NewCommit, Snapshot, TreeEntry } from "../../runner/hands/ports/clerk.js";
import type { BuiltEnvironment } from "../../runner/hands/ports/environment.js";
import type { Hands, HandsImage } from "../../runner/hands/ports/hands.js";
import type { Answer } from "../../runner/hands/ports/reading.js";
import type { CommandResult, EditResult, Receipt, Work } from "../../runner/hands/ports/work.js";
import { type CheckFunction, FakeChecks, passWhatTheTreeHas } from "./fake-checks.js";

export type FileMap = ReadonlyMap<string, string>;

/** Hands without git, containers or disk, for tests of what the loops do with them. FakeHands has the real git. */
export class MemoryHands implements Hands {
  readonly image: HandsImage = {
    id: `sha256:${"0".repeat(64)}`,
    recipe: "memory",
    runtime: "none",
    platform: "linux amd64 Python 3.11",
    tools: ["Python 3", "pytest", "ruff"],
  };
  readonly worktree = new Map<string, string>();
  readonly clerk = new MemoryClerk(this.worktree);
  readonly work = new MemoryWork(this.worktree);
  readonly checks: FakeChecks;
  discarded = false;
  /** the environments that were in use, in turn */
  readonly environments: (BuiltEnvironment | null)[] = [];

  constructor(check: CheckFunction = passWhatTheTreeHas) {
    const { clerk } = this;
    const read = async (tree: TreeId, path: string) => clerk.filesOf(tree).get(path) ?? null;
    this.checks = new FakeChecks(check, read, (tree) => clerk.filesOf(tree));
  }

  useEnvironment(environment: BuiltEnvironment | null): void {
    this.environments.push(environment);
  }

  checkIn(environment: BuiltEnvironment | null): void {
    this.environments.push(environment);
  }

  tellReceipts(): void {}

  async discard(): Promise<void> {
    this.discarded = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export class MemoryClerk implements Clerk {
  readonly commits = new Map<CommitId, NewCommit>();
  /** the faults that a snapshot finds in the worktree */
  problems: { path: string; why: string }[] = [];
  leftOut: string[] = [];
  readonly #trees = new Map<TreeId, FileMap>();

  constructor(private readonly worktree: Map<string, string>) {}

  filesOf(tree: TreeId): FileMap {
    const files = this.#trees.get(tree);
    if (!files) throw new Error(`there is no tree ${tree}`);
    return files;
  }

  addTree(files: FileMap): TreeId {
    const tree = treeId(hashOf([...files].sort()));
    this.#trees.set(tree, new Map(files));
    return tree;
  }

  async open(commit: CommitId): Promise<boolean> {
    return this.commits.has(commit);
  }

  async takePack(): Promise<void> {}

  async materialise(commit: CommitId): Promise<void> {
    this.worktree.clear();
    for (const [path, text] of this.filesOf(await this.treeOf(commit))) this.worktree.set(path, text);
  }

  async treeWith(tree: TreeId, files: readonly { path: string; content: Uint8Array }[]): Promise<TreeId> {
    const added = files.map(({ path, content }) => [path, Buffer.from(content).toString("utf8")] as const);
    return this.addTree(new Map([...this.filesOf(tree), ...added]));
  }

  async mixed(tree: TreeId, other: TreeId, paths: readonly string[]): Promise<TreeId> {
    const files = new Map(this.filesOf(tree));
    for (const path of paths) {
      const text = this.filesOf(other).get(path);
      if (text === undefined) files.delete(path);
      else files.set(path, text);
    }
    return this.addTree(files);
  }

  async treeOf(commit: CommitId): Promise<TreeId> {
    const made = this.commits.get(commit);
    if (!made) throw new Error(`there is no commit ${commit}`);
    return made.tree;
  }

  async holds(tree: TreeId): Promise<boolean> {
    return this.#trees.has(tree);
  }

  async snapshot(last: TreeId): Promise<Snapshot> {
    if (this.problems.length > 0) return { ok: false, problems: this.problems };
    const tree = this.addTree(this.worktree);
    return { ok: true, tree, changes: await this.changes(last, tree), leftOut: this.leftOut };
  }

  async changes(from: TreeId, to: TreeId): Promise<readonly Change[]> {
    const [before, after] = [this.filesOf(from), this.filesOf(to)];
    return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): Change[] => {
      const [old, now] = [before.get(path), after.get(path)];
      if (old === now) return [];
      const status = old === undefined ? "added" : now === undefined ? "deleted" : "modified";
      return [{ status, path, mode: "100644", oid: hashOf(now ?? ""), oldOid: hashOf(old ?? "") }];
    });
  }

  async diff(from: TreeId, to: TreeId, maxBytes: number): Promise<Diff> {
    const changes = await this.changes(from, to);
    const whole = changes.map(({ status, path }) => `${status} ${path}\n${this.filesOf(to).get(path) ?? ""}`).join("");
    return {
      text: whole.slice(0, maxBytes),
      bytes: whole.length,
      truncated: whole.length > maxBytes,
      largest: whole.length > maxBytes ? this.lines(changes, to) : [],
    };
  }

  private lines(changes: readonly Change[], tree: TreeId): Diff["largest"] {
    const linesOf = (path: string) => this.filesOf(tree).get(path)?.split("\n").length ?? 1;
    return changes.map(({ path }) => ({ path, lines: linesOf(path) - 1 })).sort((a, b) => b.lines - a.lines);
  }

  async list(tree: TreeId): Promise<readonly TreeEntry[]> {
    return [...this.filesOf(tree)].sort().map(([path, text]) => ({
      path,
      mode: "100644",
      oid: hashOf(text),
      size: text.length,
    }));
  }

  async content(blob: string, maxBytes: number): Promise<Uint8Array | null> {
    const texts = [...this.#trees.values()].flatMap((files) => [...files.values()]);
    const text = texts.find((each) => hashOf(each) === blob);
    return text === undefined || text.length > maxBytes ? null : Buffer.from(text);
  }

  async blob(tree: TreeId, path: string): Promise<Uint8Array | null> {
    const text = this.filesOf(tree).get(path);
    return text === undefined ? null : Buffer.from(text);
  }

  async commit(commit: NewCommit): Promise<CommitId> {
    this.filesOf(commit.tree);
    const id = commitId(hashOf(commit));
    this.commits.set(id, commit);
    return id;
  }

  async *pack(commit: CommitId): AsyncGenerator<Uint8Array> {
    yield Buffer.from(commit);
  }

  async partialPatch(last: TreeId, maxBytes: number): Promise<Uint8Array> {
    return Buffer.from((await this.diff(last, this.addTree(this.worktree), maxBytes)).text);
  }

  async defuse(): ReturnType<Clerk["defuse"]> {
    return { renamed: [], executes: [], problem: null };
  }

  async empty(): Promise<void> {
    this.worktree.clear();
  }
}

export class MemoryWork implements Work {
  readonly isLost: boolean = false;
  readonly endedAsleep = false;
  readonly isCurrent = true;
  starts = 0;
  /** commits that the container was reset to */
  readonly begun: CommitId[] = [];
  readonly commands: string[] = [];
  ended = false;

  constructor(private readonly worktree: Map<string, string>) {}

  async start(): Promise<Receipt> {
    this.starts += 1;
    return { passed: true, items: [{ name: "memory", passed: true, seen: "nothing runs" }], leftOut: [], openTo: [] };
  }

  async beginTask(commit: CommitId): Promise<void> {
    this.begun.push(commit);
  }

  async bash(command: string): Promise<CommandResult> {
    this.commands.push(command);
    const tail = new Uint8Array();
    return {
      exit: 0,
      signal: null,
      timedOut: false,
      head: Buffer.from(`ran ${command}`),
      tail,
      omitted: 0,
      killed: [],
      full: null,
      refusedHosts: [],
      ms: 1,
    };
  }

  async quiet(): Promise<void> {}

  async end(): Promise<void> {
    this.ended = true;
  }

  async readFile({ path }: { path: string }) {
    const text = this.worktree.get(path);
    if (text === undefined) return { ok: false as const, problem: `${path} does not exist` };
    const content = Buffer.from(text);
    return { ok: true as const, content, size: content.length, firstLine: 1, lastLine: 1, truncated: false };
  }

  async writeFile({ path, content }: { path: string; content: Uint8Array }): Promise<Answer<EditResult>> {
    this.worktree.set(path, Buffer.from(content).toString("utf8"));
    return { ok: true, bytes: content.length, path, lint: "", lintMs: 0 };
  }

  async editFile(): Promise<Answer<EditResult>> {
    return { ok: false, problem: "nothing is edited here" };
  }

  async glob() {
    return { ok: true as const, paths: [...this.worktree.keys()].sort(), truncated: false };
  }

  async grep() {
    return { ok: true as const, lines: [], truncated: false };
  }
}

function hashOf(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("hex");
}
