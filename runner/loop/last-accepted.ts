import type { Accepted } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";

/** Returns the commit and tree at the branch's tip; TilthError `branch_moved` if somebody else moved it. */
export async function lastAccepted({ branch, signal }: Pick<RunContext, "branch" | "signal">): Promise<Accepted> {
  const commit = await branch.tip(signal);
  return { commit, tree: await branch.treeOf(commit, signal) };
}
