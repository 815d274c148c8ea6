import type { TreeId } from "../../base/ids.js";
import type { Baseline } from "../../checks/suite/baseline.js";
import type { Change } from "../../hands/ports/clerk.js";
import type { Accepted } from "../context/outcome.js";
import type { RunContext } from "../context/run-context.js";
import type { Checked, Submitted } from "../judging/checking.js";

export interface SuiteQuestion {
  readonly baseline: Baseline;
  readonly last: TreeId;
  readonly tree: TreeId;
  /** the changes from `last` to `tree` */
  readonly changes: readonly Change[];
  readonly taskText: string;
  /** paths of all staged tests */
  readonly staged: readonly string[];
  /** files whose tests the check has already run in the submitted tree, and below it their results */
  readonly added: readonly string[];
  readonly seen: readonly { readonly id: string; readonly outcome: string }[];
  /** true if the tree is judged in the environment the baseline was taken in */
  readonly sameEnvironment: boolean;
  readonly seconds: number;
  /** files that belong in the first part whatever the change touches */
  readonly first: readonly string[];
}

/** Builds the question for the project's own tests about a tree that passed the checks. */
export function questionOf(
  { settings }: Pick<RunContext, "settings">,
  of: {
    readonly submitted: Pick<Submitted, "tree" | "changes"> & { readonly last: Pick<Accepted, "tree"> };
    readonly checked: Pick<Checked, "request" | "seen" | "inForce">;
    readonly baseline: Baseline;
    readonly first: readonly string[];
  },
): SuiteQuestion {
  const { submitted, checked, baseline, first } = of;
  const { last, tree, changes } = submitted;
  const { allStaged, added, taskText } = checked.request;
  return {
    ...{ baseline, tree, changes, taskText, added, first },
    last: last.tree,
    staged: allStaged.map(({ path }) => path),
    seen: checked.seen,
    sameEnvironment: checked.inForce,
    seconds: settings.suite.seconds,
  };
}
