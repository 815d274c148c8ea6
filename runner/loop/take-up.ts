import type { TreeId } from "../base/ids.js";
import type { CheckResult } from "../session/log/events/checks.js";
import type { Case } from "../session/log/events/verdicts.js";
import type { TaskSpan } from "../session/log/events.js";
import type { Task } from "../session/state/prd.js";
import { recorded } from "../tools/tool/recorded.js";
import { submitCase } from "../tools/worker/submit-case.js";
import { accept, commitAccepted } from "./accept.js";
import type { Accepted } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";
import { judgeTree } from "./judging/checking.js";
import { CounterCheck } from "./judging/counter-check.js";
import { RedCheck } from "./judging/red-check.js";
import { lastAccepted } from "./last-accepted.js";
import { Trace } from "./spans.js";
import { Submits } from "./submit.js";
import { OwnTests } from "./suite/own-tests.js";
import type { SuiteCheck } from "./suite/suite-check.js";

/** A case that the evaluator accepted in an earlier run, which ended before the commit. */
export interface Uncommitted {
  readonly task: Task;
  readonly span: TaskSpan;
  readonly tree: TreeId;
  readonly case: Case;
  /** true if the counter-check passed, and everything before it */
  readonly countered: boolean;
  /** true if the project's own tests passed */
  readonly suited: boolean;
}

/** Makes the commit from the accepted tree; no model is asked. */
export async function takeUp(run: RunContext, uncommitted: Uncommitted): Promise<void> {
  await run.repository();
  const last = await lastAccepted(run);
  if (!(await isThere(run, uncommitted.tree, last))) await presentAgain(run, uncommitted, last);
  else if (uncommitted.countered || (await judgedToTheEnd(run, uncommitted, last)))
    await commitAccepted(run, { ...uncommitted, summary: uncommitted.case.summary, last });
  run.summarise();
}

/**
 * Submits the same case again for check and evaluation: the tree is lost, and the worktree now holds something never
 * judged.
 */
async function presentAgain(run: RunContext, { task, case: presented }: Uncommitted, last: Accepted): Promise<void> {
  const { span } = new Trace(task.id);
  await using red = new RedCheck(run, { task, last, span });
  await using own = new OwnTests(run, { last, span });
  const submits = new Submits(run, { task, last, red, own });
  const call = { id: "resumed", name: submitCase.definition.name, arguments: JSON.stringify(presented) };
  const end = await recorded(call, { events: run.events, span }, () => submits.presentAgain(call, span));
  if (end.kind === "accepted") await accept(run, { task, span, last, accepted: end.accepted });
}

/** The worktree may hold the last copy of a tree that the clerk has lost. */
async function isThere({ hands, signal }: RunContext, tree: TreeId, last: Accepted): Promise<boolean> {
  if (await hands.clerk.holds(tree, signal)) return true;
  const snapshot = await hands.clerk.snapshot(last.tree, signal);
  return snapshot.ok && snapshot.tree === tree;
}

/** Runs whatever has not passed yet. */
async function judgedToTheEnd(run: RunContext, uncommitted: Uncommitted, last: Accepted): Promise<boolean> {
  const { task, span, tree, suited } = uncommitted;
  await using red = new RedCheck(run, { task, last, span });
  await using own = new OwnTests(run, { last, span });
  const before = await red.known();
  const changes = await run.hands.clerk.changes(last.tree, tree, run.signal);
  const submitted = { task, last, before, tree, changes, span };
  const checked = await judgeTree(run, submitted);
  if (!checked.passed) return noted(run, { span, tree }, checked.checks);
  await using suite = await own.against(submitted, checked);
  if (!suited && !(await ownTests(suite, span))) return false;
  await using counter = new CounterCheck(run, checked);
  return (await counter.outcome(span)).passed;
}

async function ownTests(suite: SuiteCheck, span: TaskSpan): Promise<boolean> {
  await suite.first();
  return (await suite.outcome(span)).passed;
}

/** A tree that no longer passes cannot be counter-checked and is not taken. */
function noted(
  run: RunContext,
  { span, tree }: { readonly span: TaskSpan; readonly tree: TreeId },
  checks: readonly CheckResult[],
): false {
  const caught = checks.filter(({ passed }) => !passed).map(({ name, reason }) => `${name}: ${reason ?? "failed"}`);
  run.events.append("counter_check", { ...span, tree, passed: false, reached: 0, caught, left_out: [] });
  return false;
}
