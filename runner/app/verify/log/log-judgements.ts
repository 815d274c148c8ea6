import { type Acceptance, ofTask } from "./acceptances.js";
import { absent, type Findings } from "./findings.js";
import { type LoggedEvent, lineOfLog, type RecordedLog } from "./recorded-log.js";

/** Returns the actual tree of a commit; null if the commit is missing. */
export type TreeOfCommit = (sha: string) => string | null;

/** Checks that checked, evaluated and committed tree are the same, each with the outcome that allows the next step. */
export function compareTrees(
  log: RecordedLog,
  acceptances: readonly Acceptance[],
  { treeOf, findings }: { readonly treeOf: TreeOfCommit; readonly findings: Findings },
): void {
  for (const acceptance of acceptances) {
    const tree = treeOf(acceptance.commit.payload.sha) ?? acceptance.commit.payload.tree;
    const { taskId, check, verdict, prepared, commit, done } = acceptance;
    const what = `tree of ${taskId}`;
    for (const logged of [check, verdict, prepared, commit])
      if (logged) findings.hold(what, lineOfLog(logged, "tree"), { expected: tree, seen: logged.payload.tree });
    const { sha } = commit.payload;
    for (const logged of [prepared, done])
      if (logged)
        findings.hold(`commit of ${taskId}`, lineOfLog(logged, "sha"), { expected: sha, seen: logged.payload.sha });
    compareOutcomes(acceptance, tree, findings);
    compareCounterCheck(log, acceptance, tree, findings);
    compareOwnTests(acceptance, findings);
  }
  for (const seed of log.of("seed_committed")) {
    const expected = treeOf(seed.payload.sha) ?? seed.payload.tree;
    findings.hold("tree of the seed", lineOfLog(seed, "tree"), { expected, seen: seed.payload.tree });
  }
  if (acceptances.length > 0)
    findings.compared.push("checked, evaluated and committed tree of every accepted task, with the commit's own");
}

function compareOutcomes(acceptance: Acceptance, tree: string, findings: Findings): void {
  const { taskId, commit, check, verdict, prepared, done } = acceptance;
  const missing = (what: string, expected: string) =>
    findings.differ({
      what: `${what} of ${taskId}`,
      where: `events.jsonl before line ${commit.line}`,
      expected,
      seen: absent,
    });
  if (check === null) missing("check", `a check_run of tree ${tree} that passed`);
  else findings.hold(`check of ${taskId}`, lineOfLog(check, "passed"), { expected: true, seen: check.payload.passed });
  if (verdict === null) missing("verdict", `an evaluator_verdict that accepts tree ${tree}`);
  else
    findings.hold(`verdict of ${taskId}`, lineOfLog(verdict, "verdict.verdict"), {
      expected: "accept",
      seen: verdict.payload.verdict.verdict,
    });
  if (prepared === null) missing("commit", `a commit_prepared of ${commit.payload.sha}`);
  if (done === null)
    findings.differ({
      what: `commit of ${taskId}`,
      where: `events.jsonl after line ${commit.line}`,
      expected: `a task_done of ${commit.payload.sha}`,
      seen: absent,
    });
}

/** Sessions of earlier versions lack this event altogether, which is remarked once elsewhere. */
function compareCounterCheck(
  log: RecordedLog,
  { taskId, commit, counter }: Acceptance,
  tree: string,
  findings: Findings,
): void {
  if (log.of("counter_check", "red_check").length === 0) return;
  if (counter?.payload.tree === tree && counter.payload.passed) return;
  const what = `counter-check of ${taskId}`;
  const expected = `a counter_check of tree ${tree} that passed`;
  if (counter === null)
    findings.differ({ what, where: `events.jsonl before line ${commit.line}`, expected, seen: absent });
  else
    findings.hold(what, lineOfLog(counter), {
      expected: { tree, passed: true },
      seen: { tree: counter.payload.tree, passed: counter.payload.passed },
    });
}

/** If the own tests counted, they must have passed; a session told not to run them has no record of them. */
function compareOwnTests({ taskId, suite, ownTests }: Acceptance, findings: Findings): void {
  if (suite !== null)
    findings.hold(`own tests of the project, for ${taskId}`, lineOfLog(suite, "passed"), {
      expected: true,
      seen: suite.payload.passed,
    });
  else if (ownTests !== null && ownTests.held.size > 0)
    findings.remarks.push(`the project's own tests were not run for ${taskId} (TILTH_SUITE=off)`);
}

/** Checks that the red check of an accepted task ran on the tree its work began from. */
export function compareRedTree(
  { taskId, red }: Pick<Acceptance, "taskId" | "red">,
  began: string,
  findings: Findings,
): void {
  if (red?.payload.at !== "task") return;
  findings.hold(`red check of ${taskId}`, lineOfLog(red, "tree"), { expected: began, seen: red.payload.tree });
}

/** Checks that every check ran on the image its run was started with. */
export function compareImages(log: RecordedLog, findings: Findings): void {
  let image: string | null = null;
  for (const logged of log.of("session_start", "session_resume", "check_run")) {
    if (logged.type !== "check_run") image = logged.payload.image;
    else if (image !== null)
      findings.hold(`image of the check of ${logged.payload.task_id}`, lineOfLog(logged, "image"), {
        expected: image,
        seen: logged.payload.image,
      });
  }
}

/** Checks that each ledger line has the evaluator's verdict before it. */
export function compareVerdicts(log: RecordedLog, taskIds: readonly string[], findings: Findings): void {
  for (const taskId of taskIds) {
    const verdicts = ofTask(log, "evaluator_verdict", taskId);
    const entries = ofTask(log, "ledger_appended", taskId);
    for (const [index, verdict] of verdicts.entries()) {
      const entry: LoggedEvent<"ledger_appended"> | undefined = entries[index];
      if (entry)
        findings.hold(`verdict of ${taskId}`, lineOfLog(entry, "entry.verdict"), {
          expected: verdict.payload.verdict,
          seen: entry.payload.entry.verdict,
        });
    }
    findings.hold(`ledger of ${taskId}`, `events.jsonl, number of its ledger_appended`, {
      expected: verdicts.length,
      seen: entries.length,
    });
  }
}
