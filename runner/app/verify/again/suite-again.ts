import type { Judgement } from "../../../checks/judgement.js";
import { together } from "../../../checks/suite/findings.js";
import type { CheckRequest } from "../../../hands/ports/checks/checks.js";
import type { Change } from "../../../hands/ports/clerk.js";
import type { Hands } from "../../../hands/ports/hands.js";
import { questionOf } from "../../../loop/suite/question.js";
import { SuiteTrial } from "../../../loop/suite/trial.js";
import type { Settings } from "../../../settings/settings.js";
import type { Acceptance } from "../log/acceptances.js";
import type { Findings } from "../log/findings.js";
import { lineOfLog } from "../log/recorded-log.js";

interface Means {
  readonly hands: Hands;
  readonly settings: Settings;
  readonly changes: readonly Change[];
  /** results of the check that has just passed again */
  readonly seen: Judgement["seen"];
  /** true if the tree was judged in the environment its task began in */
  readonly inForce: boolean;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** Runs the project's own tests on a tree whose check has just passed again, and compares the failures. */
export async function suiteAgain(
  { suite, ownTests: baseline, taskId }: Acceptance,
  request: CheckRequest,
  { hands, settings, changes, seen, inForce, findings, signal }: Means,
): Promise<void> {
  if (suite === null || baseline === null) return;
  const submitted = { last: { tree: request.last }, tree: request.tree, changes };
  const checked = { request, seen, inForce };
  const question = questionOf({ settings }, { submitted, checked, baseline, first: [] });
  await using trial = new SuiteTrial(hands, question, signal);
  const { first, rest } = await trial.parts();
  const found = together(together(await trial.run(first), await trial.missing()), await trial.run(rest));
  const failures = found.failures.map(({ name }) => name).sort();
  findings.hold(`own tests of the project, for ${taskId}, run again`, lineOfLog(suite, "failed"), {
    expected: [...suite.payload.failed].sort(),
    seen: failures,
  });
}
