import { discountedBy } from "../checks/findings.js";
import { ruffArgs } from "../checks/ruff-args.js";
import type { Hands } from "../hands/hands.js";
import type { TreeId } from "../support/ids.js";
import { lazily } from "../support/lazily.js";
import type { RuffInForce } from "./run-context.js";

/** `baseTree`: of the session's base, once the clerk holds its objects. */
export function ruffInForce(of: { hands: Hands; baseTree: () => Promise<TreeId>; signal: AbortSignal }): RuffInForce {
  const { hands, baseTree: tree, signal } = of;
  const args = lazily(async () => ruffArgs(await tree(), hands.clerk, signal));
  const discounted = lazily(async () => {
    const found = await hands.checks.lintTree(await tree(), await args(), signal);
    // that took the container which stood ready for the first check
    hands.checks.prepare();
    return discountedBy(found);
  });
  return { args, discounted };
}
