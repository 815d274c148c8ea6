import { addedTests } from "../checks/added-tests.js";
import { type Judgement, judgementOf } from "../checks/judgement.js";
import { type Change, type CheckRequest, HandsLost } from "../hands/hands.js";
import type { TaskSpan } from "../session/events.js";
import type { Task } from "../session/prd.js";
import type { TreeId } from "../support/ids.js";
import type { Accepted } from "./outcome.js";
import type { RunContext } from "./run-context.js";

export interface Submitted {
  readonly task: Task;
  readonly last: Accepted;
  readonly tree: TreeId;
  readonly changes: readonly Change[];
  readonly span: TaskSpan;
}

/** One mechanical judgement of one tree, on record. A tree that failed before is not run again. */
export async function runChecks(run: RunContext, submitted: Submitted): Promise<Judgement> {
  const request = await requestFor(run, submitted);
  const began = run.clock.monotonicMs();
  const known = run.checkMemory.recall(request);
  const judgement = known ?? (await judge(run, request));
  if (!known) run.checkMemory.keep(request, judgement);
  run.events.append("check_run", {
    ...submitted.span,
    tree: submitted.tree,
    image: run.hands.image.id,
    passed: judgement.passed,
    checks: judgement.checks,
    expected: judgement.expected,
    seen: judgement.seen,
    integrity_notes: judgement.integrityNotes,
    ms: run.clock.monotonicMs() - began,
  });
  run.hands.checks.prepare();
  return judgement;
}

async function requestFor(run: RunContext, { task, last, tree, changes }: Submitted): Promise<CheckRequest> {
  const prd = run.files.loadPrd();
  const allStaged = run.seedTests.all(prd);
  return {
    tree,
    last: last.tree,
    staged: run.seedTests.judging(task, prd),
    allStaged,
    added: addedTests(changes, allStaged),
    taskText: [task.title, task.description, ...task.acceptance_criteria].join("\n"),
    discounted: await run.ruff.discounted(),
    ruffArgs: await run.ruff.args(),
    timeoutMs: run.settings.checkTimeoutSeconds * 1000,
  };
}

async function judge(run: RunContext, request: CheckRequest): Promise<Judgement> {
  try {
    return judgementOf(await run.hands.checks.run(request, run.signal), request);
  } catch (error) {
    if (error instanceof HandsLost) return diedTwice;
    throw error;
  }
}

const diedTwice: Judgement = {
  passed: false,
  checks: [
    {
      name: "pytest",
      passed: false,
      reason: "check_died",
      output: "The container of the check died twice on this tree, for example for want of memory.",
      ms: 0,
    },
  ],
  expected: [],
  seen: [],
  integrityNotes: [],
};
