import type { TreeId } from "../../../../base/ids.js";
import type { CheckRequest, RewrittenFile } from "../../../ports/checks/checks.js";
import type { PytestReport } from "../../../ports/checks/pytest.js";
import type { WarmCheck } from "../containers/pool.js";
import { rewrittenFiles } from "./same.js";
import { type PytestOutcome, runPytest } from "./test-run.js";

export interface OwnTests {
  readonly own: PytestReport | null;
  readonly before: PytestReport | null;
  /** files of the tree that the tests overwrote */
  readonly rewritten: readonly RewrittenFile[];
  /** processes that outlived the tests */
  readonly killed: readonly string[];
}

interface Running {
  readonly fresh: (tree: TreeId) => Promise<void>;
  readonly timeoutMs: () => number;
  readonly signal: AbortSignal;
}

/**
 * Runs the test files that a task added or changed, in a process of their own, on a tree that the first run has not
 * touched. If some fail, those that the last accepted tree also has are run on it as well.
 */
export async function ownTests(
  check: WarmCheck,
  { tree, last, added, changed }: CheckRequest,
  { fresh, timeoutMs, signal }: Running,
): Promise<OwnTests> {
  const run = async (on: TreeId, files: readonly string[]): Promise<PytestOutcome | null> => {
    if (files.length === 0) return null;
    await fresh(on);
    return runPytest(check.zygote, { files, expected: [], timeoutMs: timeoutMs(), signal });
  };
  const now = await run(tree, added);
  const rewritten = now ? await rewrittenFiles(check, { tree, last, by: "added_tests", signal }) : [];
  const before = now && hasFailures(now.report) ? await run(last, changed) : null;
  return {
    own: now?.report ?? null,
    before: before?.report ?? null,
    rewritten,
    killed: [now, before].flatMap((outcome) => outcome?.killed ?? []),
  };
}

function hasFailures({ results, collectErrors }: PytestReport): boolean {
  return collectErrors.length > 0 || results.some(({ outcome }) => outcome === "failed" || outcome === "error");
}
