import { type CommitId, commitId, type TreeId, treeId } from "../../../base/ids.js";
import type { Change, Clerk, Diff, Leftovers, NewCommit, Person, Snapshot, TreeEntry } from "../../ports/clerk.js";
import { ignoredNames } from "../ignored-names.js";
import { diffTrees } from "./diff.js";
import { takePack } from "./intake.js";
import { mixedTree } from "./mixed-tree.js";
import { partialPatch } from "./partial-patch.js";
import { argvString } from "./shell/argv-string.js";
import type { ClerkShell } from "./shell/clerk-shell.js";
import { parseTreeListing } from "./shell/git-output.js";
import type { ClerkLimits } from "./shell/limits.js";
import { bytesFromPath } from "./shell/path-names.js";
import { streamed } from "./shell/streamed.js";
import { checked } from "./shell/strictness.js";
import { Snapshots } from "./snapshot.js";
import { defuse, emptyWorktree } from "./worktree/leftovers.js";

type Files = readonly { path: string; content: Uint8Array }[];

const seedIndex = { GIT_INDEX_FILE: "/repo/index.seed" };

/** Does the clerk's work as git commands with fixed arguments, in the clerk's container. */
export class ContainerClerk implements Clerk {
  private readonly snapshots: Snapshots;

  constructor(
    private readonly shell: ClerkShell,
    private readonly limits: ClerkLimits,
  ) {
    this.snapshots = new Snapshots(shell, limits);
  }

  async open(commit: CommitId, signal: AbortSignal): Promise<boolean> {
    await prepareRepository(this.shell, signal);
    this.snapshots.indexIsNow(null);
    return holdsWhole(this.shell, commit, signal);
  }

  async takePack(pack: AsyncIterable<Uint8Array>, tip: CommitId, signal: AbortSignal): Promise<void> {
    await takePack(this.shell, { pack, tip }, { limits: this.limits, signal });
  }

  async materialise(commit: CommitId, signal: AbortSignal): Promise<void> {
    await emptyWorktree(this.shell, signal);
    this.snapshots.indexIsNow(null);
    await this.shell.git(["read-tree", "--empty"], { signal });
    await this.shell.git(["read-tree", commit], { signal });
    await this.shell.git(["checkout-index", "-a", "-f", "-u", "-q"], { signal });
    this.snapshots.wroteWorktree(await this.treeOf(commit, signal));
  }

  async treeWith(tree: TreeId, files: Files, signal: AbortSignal): Promise<TreeId> {
    const run = { signal, env: seedIndex };
    await this.shell.git(["read-tree", "--reset", tree], run);
    for (const { path, content } of files) {
      const oid = line(await this.shell.git(["hash-object", "-w", "--stdin"], { signal, stdin: content }));
      const entry = `100644,${oid},${argvString(bytesFromPath(path))}`;
      await this.shell.git(["update-index", "--add", "--replace", "--cacheinfo", entry], run);
    }
    return treeId(line(await this.shell.git(["write-tree"], run)));
  }

  mixed(tree: TreeId, other: TreeId, paths: readonly string[], signal: AbortSignal): Promise<TreeId> {
    return mixedTree(this.shell, { tree, other, paths }, signal);
  }

  async treeOf(commit: CommitId, signal: AbortSignal): Promise<TreeId> {
    return treeId(line(await this.shell.git(["rev-parse", "--verify", `${commit}^{tree}`], { signal })));
  }

  async holds(tree: TreeId, signal: AbortSignal): Promise<boolean> {
    return holdsWhole(this.shell, tree, signal);
  }

  async snapshot(last: TreeId, signal: AbortSignal): Promise<Snapshot> {
    return this.snapshots.take(last, signal);
  }

  async changes(from: TreeId, to: TreeId, signal: AbortSignal): Promise<readonly Change[]> {
    return this.snapshots.changes(from, to, signal);
  }

  async diff(from: TreeId, to: TreeId, maxBytes: number, signal: AbortSignal): Promise<Diff> {
    return diffTrees(this.shell, { from, to, maxBytes, signal });
  }

  async list(tree: TreeId, signal: AbortSignal): Promise<readonly TreeEntry[]> {
    return parseTreeListing(await this.shell.git(["ls-tree", "-r", "-l", "-z", "--full-tree", tree], { signal }));
  }

  async blob(tree: TreeId, path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null> {
    const named = ["ls-tree", "-l", "-z", "--full-tree", tree, "--", argvString(bytesFromPath(path))];
    const entry = parseTreeListing(await this.shell.git(named, { signal })).find((each) => each.path === path);
    if (!entry?.mode.startsWith("100")) return null;
    const kept: Uint8Array[] = [];
    let bytes = 0;
    const onData = (chunk: Uint8Array): void => {
      if (bytes < maxBytes) kept.push(chunk.subarray(0, maxBytes - bytes));
      bytes += chunk.length;
    };
    await this.shell.git(["cat-file", "blob", entry.oid], { signal, onData });
    return Buffer.concat(kept);
  }

  async content(blob: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null> {
    const kept: Uint8Array[] = [];
    let bytes = 0;
    const onData = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes <= maxBytes) kept.push(chunk);
    };
    const { exit } = await this.shell.attemptGit(["cat-file", "blob", blob], { signal, onData });
    return exit === 0 && bytes <= maxBytes ? Buffer.concat(kept) : null;
  }

  async commit(commit: NewCommit, signal: AbortSignal): Promise<CommitId> {
    const date = `${Math.floor(commit.date.getTime() / 1000)} +0000`;
    const env = { ...identity("AUTHOR", commit.author, date), ...identity("COMMITTER", commit.committer, date) };
    const args = ["commit-tree", "--no-gpg-sign", commit.tree, "-p", commit.parent, "-F", "-"];
    return commitId(line(await this.shell.git(args, { signal, env, stdin: Buffer.from(commit.message) })));
  }

  pack(commit: CommitId, base: CommitId, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const stdin = Buffer.from(`${commit}\n^${base}\n`);
    const args = ["pack-objects", "--revs", "--stdout", "-q", "--delta-base-offset"];
    return streamed(async (sink, both) => {
      await this.shell.git(args, { signal: both, stdin, onData: sink });
    }, signal);
  }

  async partialPatch(last: TreeId, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    return partialPatch(this.shell, this.snapshots, { last, maxBytes, signal });
  }

  async defuse(last: TreeId, signal: AbortSignal): Promise<Leftovers> {
    this.snapshots.indexIsNow(null);
    return defuse(this.shell, { last, limits: this.limits, signal });
  }

  async empty(signal: AbortSignal): Promise<void> {
    await emptyWorktree(this.shell, signal);
  }
}

function line(output: Buffer): string {
  return output.toString("latin1").trim();
}

function identity(role: "AUTHOR" | "COMMITTER", person: Person, date: string): Record<string, string> {
  return { [`GIT_${role}_NAME`]: person.name, [`GIT_${role}_EMAIL`]: person.email, [`GIT_${role}_DATE`]: date };
}

/** Git reads these attributes first, so none in the tree count, and blobs are the bytes of the files. */
const attributes = "* -text !eol -ident -filter !working-tree-encoding !diff";

/** Removes what a killed git left: only one clerk at a time uses the repository. */
const prepareScript = `
  cd /repo
  find . -name '*.lock' -delete
  rm -rf incoming ${checked}
  find . -name 'tmp_*' -prune -exec rm -rf {} +
  env -u GIT_DIR -u GIT_WORK_TREE git init --quiet --bare --template= /repo
  mkdir -p info ${checked}
  printf '%s\\n' '${attributes}' > info/attributes
  printf '%s\\n' ${ignoredNames.map((name) => `'${name}'`).join(" ")} > info/exclude`;

async function prepareRepository(shell: ClerkShell, signal: AbortSignal): Promise<void> {
  await shell.script("preparing the repository", prepareScript, { signal });
}

async function holdsWhole(shell: ClerkShell, object: CommitId | TreeId, signal: AbortSignal): Promise<boolean> {
  const { exit } = await shell.attemptGit(["rev-list", "--objects", "--quiet", object, "--"], { signal });
  return exit === 0;
}
