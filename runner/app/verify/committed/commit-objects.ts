import { createHash } from "node:crypto";
import { type CommitId, commitId, type TreeId, treeId } from "../../../base/ids.js";
import { ObjectReader } from "../../../source/git/object-reader.js";
import { parseCommit } from "../../../source/git/tree-object.js";
import type { Source } from "../../../source/preflight/preflight.js";

export interface CommitObject {
  readonly id: CommitId;
  readonly tree: TreeId;
  readonly parents: readonly CommitId[];
  readonly message: string;
}

const mostBytes = 16 * 1024 * 1024;

/**
 * Reads commits from the source's object store, whatever points at them. Missing ones are left out, and so are those
 * whose bytes do not match their name: git would read them all the same.
 */
export async function readCommits(
  source: Source,
  ids: readonly CommitId[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CommitObject>> {
  await using reader = openReader(source, signal);
  const contents = await reader.contents(ids, "commit", mostBytes);
  const found = ids.flatMap((id, index) => objectOf(id, contents[index] ?? null) ?? []);
  return new Map(found.map((commit) => [commit.id, commit]));
}

/** First parents from `tip` on, oldest first: all above `base`, but no more than the newest `limit`. */
export async function branchAbove(
  source: Source,
  { tip, base, limit }: { readonly tip: CommitId; readonly base: CommitId; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly CommitObject[]> {
  await using reader = openReader(source, signal);
  const found: CommitObject[] = [];
  for (let at: CommitId | undefined = tip; at !== undefined && at !== base && found.length < limit; ) {
    const [content] = await reader.contents([at], "commit", mostBytes);
    const commit = objectOf(at, content ?? null);
    if (commit === null) break;
    found.unshift(commit);
    at = commit.parents[0];
  }
  return found;
}

export function openReader({ git, gitDir }: Source, signal: AbortSignal): ObjectReader {
  return new ObjectReader(git, { gitDir, doing: "read the session's commits", signal, timeoutMs: 300_000 });
}

/** The id git gives an object with this content. */
export function objectId(type: "blob" | "commit", content: Buffer): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}

function objectOf(id: CommitId, content: Buffer | null): CommitObject | null {
  const parsed = content && objectId("commit", content) === id ? parseCommit(content) : null;
  if (content === null || parsed === null) return null;
  const text = content.toString("utf8");
  return {
    id,
    tree: treeId(parsed.tree),
    parents: parsed.parents.map(commitId),
    message: text.slice(text.indexOf("\n\n") + 2),
  };
}
