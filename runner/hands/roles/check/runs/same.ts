import type { TreeId } from "../../../../base/ids.js";
import { checkRequests } from "../../../pipe/wire/check.js";
import type { RewrittenFile } from "../../../ports/checks/checks.js";
import { containerPaths } from "../../../ports/container-paths.js";
import type { WarmCheck } from "../containers/pool.js";

interface TreeComparison {
  readonly tree: TreeId;
  /** the last accepted tree */
  readonly last: TreeId;
  readonly by: RewrittenFile["by"];
  readonly signal: AbortSignal;
}

/** Lists the files that differ in /workspace from the tree, once all processes of the check have ended. */
export async function rewrittenFiles(
  { zygote }: WarmCheck,
  compared: TreeComparison,
): Promise<readonly RewrittenFile[]> {
  const { tree, last, by, signal } = compared;
  const payload = { repo: containerPaths.repo, root: containerPaths.workspace, tree, last };
  const { files, added } = await zygote.ask(checkRequests.differing, { payload, input: [] }, signal);
  // tests may leave files of their own behind; ruff may leave none
  const left = by === "ruff" ? added.map((path) => ({ path, what: "added" as const, touched: true })) : [];
  return [...files, ...left].map((file) => ({ ...file, by }));
}
