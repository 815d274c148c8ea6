import { type CommitId, type SessionId, type TreeId, treeId } from "../../base/ids.js";
import type { Repository } from "../git/base-pack.js";
import { ObjectReader } from "../git/object-reader.js";
import { treeCaps } from "../git/tree-caps.js";
import { asGitReads, folderMode, parseTree } from "../git/tree-object.js";
import { branchRef } from "./branch-ref.js";

export async function commitTree(source: Repository, commit: CommitId, signal: AbortSignal): Promise<TreeId> {
  const text = await source.git.text(["rev-parse", "--verify", `${commit}^{tree}`], {
    gitDir: source.gitDir,
    doing: `read commit ${commit}`,
    signal,
  });
  return treeId(text.trim());
}

/** Lists the commits of `tip` beyond `base`; empty when git cannot tell. */
export async function commitsAbove(
  source: Repository,
  { base, tip }: { base: CommitId; tip: CommitId },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const answer = await source.git.run(["rev-list", tip, `^${base}`], {
    gitDir: source.gitDir,
    doing: `list the commits between ${base} and ${tip}`,
    signal,
    accept: [0, 128],
  });
  return new Set(answer.exit === 0 ? answer.stdout.toString("latin1").split("\n") : []);
}

/** Returns false as well when either commit is missing. */
export async function isAncestor(
  source: Repository,
  { ancestor, of }: { ancestor: CommitId; of: CommitId },
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await source.git.run(["merge-base", "--is-ancestor", ancestor, of], {
    gitDir: source.gitDir,
    doing: `compare ${ancestor} with ${of}`,
    signal,
    accept: [0, 1, 128],
  });
  return answer.exit === 0;
}

/**
 * Counts the commits that only the session's branch holds. A HEAD does not count as holding them, least of all the one
 * of the session's own work tree, and neither does another name of the same branch.
 */
export async function unmergedCount(source: Repository, id: SessionId, signal: AbortSignal): Promise<number> {
  const call = { gitDir: source.gitDir, doing: `count the commits of ${branchRef(id)}`, signal };
  const named = await source.git.run(["for-each-ref", "--format=%(refname)%00%(symref)%00"], call);
  const names = named.stdout
    .toString("utf8")
    .split("\0\n")
    .map((line) => line.split("\0"));
  const aliases = names.flatMap(([name, target]) => (name && target === branchRef(id) ? [name] : []));
  const excluded = ["HEAD", branchRef(id), ...aliases].map((name) => `--exclude=${name}`);
  const args = ["rev-list", "--count", "--single-worktree", branchRef(id), "--not", ...excluded, "--all"];
  return Number((await source.git.text(args, call)).trim());
}

/** Returns the start of a file, at most `maxBytes`; null when there is no regular file at `path` of `tree`. */
export async function readCommitted(
  source: Repository,
  { tree, path, maxBytes }: { tree: TreeId; path: string; maxBytes: number },
  signal: AbortSignal,
): Promise<{ content: Buffer; size: number } | null> {
  await using reader = new ObjectReader(source.git, { gitDir: source.gitDir, doing: `read '${path}'`, signal });
  let oid: string = tree;
  const folders = path.split("/").map((name) => Buffer.from(name));
  const file = folders.pop();
  for (const name of [...folders, file ?? Buffer.alloc(0)]) {
    const [content] = await reader.contents([oid], "tree", treeCaps.treeBytes);
    const item = content ? parseTree(content)?.find((entry) => entry.name.equals(name)) : undefined;
    const wanted = name === file ? ["100644", "100755"] : [folderMode];
    if (item === undefined || !wanted.includes(asGitReads(item.mode))) return null;
    oid = item.oid;
  }
  return await reader.start(oid, "blob", maxBytes);
}
