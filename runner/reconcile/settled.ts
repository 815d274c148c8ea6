import { branchTip } from "../source/branch-ref.js";
import { isAncestor } from "../source/history.js";
import type { Source } from "../source/preflight.js";
import type { SessionId } from "../support/ids.js";
import type { Past, TaskCommit } from "./past.js";

/** The commit that the branch was moved to before the log could tell of it. */
export async function settledCommit(
  past: Past,
  of: { readonly source: Source; readonly id: SessionId },
  signal: AbortSignal,
): Promise<TaskCommit | null> {
  const { source, id } = of;
  if (past.prepared.length === 0) return null;
  const tip = await branchTip(source, id, signal);
  if (tip === null) return null;
  for (const commit of past.prepared)
    if (await isAncestor(source, { ancestor: commit.sha, of: tip }, signal)) return commit;
  return null;
}
