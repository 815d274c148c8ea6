import { discountedBy } from "../checks/findings.js";
import { ruffArgs } from "../checks/ruff-args.js";
import type { Hands } from "../hands/hands.js";
import type { CommitId } from "../support/ids.js";
import { lazily } from "../support/lazily.js";
import type { RuffInForce } from "./run-context.js";

/** `repository`: settles when the clerk holds the session's objects. */
export function ruffInForce(of: {
  hands: Hands;
  base: CommitId;
  repository: () => Promise<void>;
  signal: AbortSignal;
}): RuffInForce {
  const { hands, base, repository, signal } = of;
  const tree = lazily(async () => {
    await repository();
    return hands.clerk.treeOf(base, signal);
  });
  const args = lazily(async () => ruffArgs(await tree(), hands.clerk, signal));
  const discounted = lazily(async () => {
    const found = await hands.checks.lintTree(await tree(), await args(), signal);
    // that took the container which stood ready for the first check
    hands.checks.prepare();
    return discountedBy(found);
  });
  return { args, discounted };
}
