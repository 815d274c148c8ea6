import { type CommitId, type SessionId, type TreeId, treeId } from "../support/ids.js";
import type { Repository } from "./base-pack.js";
import { branchRef } from "./branch-ref.js";
import { ObjectReader } from "./object-reader.js";
import { treeCaps } from "./tree-caps.js";
import { folderMode, parseTree } from "./tree-object.js";

export async function commitTree(source: Repository, commit: CommitId, signal: AbortSignal): Promise<TreeId> {
  const text = await source.git.text(["rev-parse", "--verify", `${commit}^{tree}`], {
    gitDir: source.gitDir,
    doing: `read commit ${commit}`,
    signal,
  });
  return treeId(text.trim());
}

/** False as well when either is not there. */
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

/** Commits that are on the session's branch and on no other branch, remote branch or tag. */
export async function unmergedCount(source: Repository, id: SessionId, signal: AbortSignal): Promise<number> {
  const others = [`--exclude=session/${id}`, "--branches", "--remotes", "--tags"];
  const text = await source.git.text(["rev-list", "--count", branchRef(id), "--not", ...others], {
    gitDir: source.gitDir,
    doing: `count the commits of ${branchRef(id)}`,
    signal,
  });
  return Number(text.trim());
}

/** The start of a file, `maxBytes` at most; null when there is no regular file at `path` of `tree`. */
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
    if (item === undefined || !wanted.includes(item.mode)) return null;
    oid = item.oid;
  }
  return await reader.start(oid, "blob", maxBytes);
}
