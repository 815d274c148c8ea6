import type { Baseline } from "../../checks/suite/baseline.js";
import type { Checked, Submitted } from "../checking.js";
import type { Accepted } from "../outcome.js";
import type { RunContext } from "../run-context.js";
import type { SuiteQuestion } from "./trial.js";

/** What the project's own tests are asked of a tree that the checks have passed. */
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
