import { counterJudgement, sitesInOrder } from "../../../checks/counter.js";
import type { CheckRequest } from "../../../hands/ports/checks/checks.js";
import type { PytestReport } from "../../../hands/ports/checks/pytest.js";
import type { Hands } from "../../../hands/ports/hands.js";
import type { Settings } from "../../../settings/settings.js";
import type { Findings } from "../log/findings.js";
import { type LoggedEvent, lineOfLog } from "../log/recorded-log.js";

interface Means {
  readonly hands: Hands;
  readonly settings: Settings;
  /** assertions reached by the run that has just passed */
  readonly reached: PytestReport["reached"];
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/**
 * Runs the counter-check of a tree again, whose check has just passed again; assertions that either run left out are
 * not compared.
 */
export async function counterAgain(
  counter: LoggedEvent<"counter_check">,
  { tree, staged, facts, taskText, since }: CheckRequest,
  { hands, settings, reached, findings, signal }: Means,
): Promise<void> {
  const sites = sitesInOrder(facts, reached);
  const budgetMs = settings.counterCheckSeconds * 1000;
  const report = await hands.checks.counter(
    { tree, staged, sites, reached, taskTexts: [taskText, ...since.taskTexts], budgetMs },
    signal,
  );
  const what = `counter-check of ${counter.payload.task_id}, run again`;
  const where = lineOfLog(counter, "passed");
  for (const { site, tests, why } of counter.payload.passed ? report.caught : [])
    findings.differ({
      what,
      where,
      expected: why ? `an honest value at ${site}` : `a failure without ${site}`,
      seen: `${why ?? "passed all the same"}: ${tests.join(", ")}`,
    });
  findings.hold(what, where, {
    expected: counter.payload.passed,
    seen: counterJudgement(report).passed,
  });
}
