import type { CommitId, SessionId } from "../base/ids.js";
import type { Source } from "../source/preflight/preflight.js";
import { branchTip } from "../source/refs/branch-ref.js";
import { commitsAbove, isAncestor } from "../source/refs/history.js";
import type { Past, TaskCommit } from "./past.js";

interface OfSession {
  readonly source: Source;
  readonly id: SessionId;
  readonly base: CommitId;
}

/**
 * Compares the log with the branch: commits in the log that are not on the branch no longer count. Returns the commit
 * that the branch was moved to before that was logged.
 */
export async function settledCommit(
  past: Past,
  { source, id, base }: OfSession,
  signal: AbortSignal,
): Promise<TaskCommit | null> {
  if (past.prepared.length === 0 && !past.hasCommits) return null;
  const tip = await branchTip(source, id, signal);
  if (tip === null) return null;
  const held = await commitsAbove(source, { base, tip }, signal);
  // a branch that somebody moved says nothing about what was done; `branch_moved` is thrown where the tip is read
  if (past.last !== null && held.has(past.last)) past.countOnly(held);
  for (const commit of past.prepared)
    if (await isAncestor(source, { ancestor: commit.sha, of: tip }, signal)) return commit;
  return null;
}
