import type { TreeId } from "../../base/ids.js";
import { type Judgement, judgementOf } from "../../checks/judgement.js";
import type { CheckRequest } from "../../hands/ports/checks/checks.js";
import type { PytestReport } from "../../hands/ports/checks/pytest.js";
import type { Change } from "../../hands/ports/clerk.js";
import { HandsLost } from "../../hands/ports/hands.js";
import type { TaskSpan } from "../../session/log/events.js";
import type { Task } from "../../session/state/prd.js";
import type { Accepted } from "../context/outcome.js";
import type { RunContext } from "../context/run-context.js";
import { checkRequestFor } from "./check-request.js";
import type { Before } from "./red-check.js";

export interface Submitted {
  readonly task: Task;
  readonly last: Accepted;
  readonly before: Before;
  readonly tree: TreeId;
  readonly changes: readonly Change[];
  readonly span: TaskSpan;
}

export interface Checked extends Judgement {
  readonly request: CheckRequest;
  /** the assertions of its own that each test reached */
  readonly reached: PytestReport["reached"];
  /** true if it was judged in the environment in force, not in one its own dependency files ask for */
  readonly inForce: boolean;
}

/** Judges one tree mechanically. A tree that failed before is not run again. */
export async function judgeTree(run: RunContext, submitted: Submitted): Promise<Checked> {
  const request = await requestFor(run, submitted);
  const placed = await run.environments.useFor({ ...submitted, last: submitted.last.tree, taskText: request.taskText });
  if (!placed.ok) return { ...withoutEnvironment(placed.problem), request, reached: {}, inForce: false };
  const checked = await judgedOnce(run, request);
  return { ...checked, inForce: placed.inForce, integrityNotes: [...checked.integrityNotes, ...placed.notes] };
}

async function judgedOnce(run: RunContext, request: CheckRequest): Promise<Omit<Checked, "inForce">> {
  const known = run.checkMemory.recall(request);
  if (known) return { ...known, request, reached: {} };
  const checked = await judge(run, request);
  run.checkMemory.keep(request, checked);
  return checked;
}

/** Judges a tree and logs the result. */
export async function runChecks(run: RunContext, submitted: Submitted): Promise<Checked> {
  const began = run.clock.monotonicMs();
  const checked = await judgeTree(run, submitted);
  const integrityNotes = [...checked.integrityNotes, ...submitted.before.notes];
  run.events.append("check_run", {
    ...submitted.span,
    tree: submitted.tree,
    image: run.hands.image.id,
    passed: checked.passed,
    checks: checked.checks,
    expected: checked.expected,
    seen: checked.seen,
    integrity_notes: integrityNotes,
    ms: run.clock.monotonicMs() - began,
  });
  return { ...checked, integrityNotes };
}

async function requestFor(run: RunContext, { task, last, before, tree, changes }: Submitted): Promise<CheckRequest> {
  return checkRequestFor({
    task,
    prd: run.plan(),
    seedTests: run.seedTests,
    base: await run.baseTree(),
    last: last.tree,
    tree,
    changes,
    facts: before.facts,
    red: { ranRed: before.ranRed, opened: [...run.opened].sort() },
    timeoutMs: run.settings.checkTimeoutSeconds * 1000,
  });
}

async function judge(run: RunContext, request: CheckRequest): Promise<Omit<Checked, "inForce">> {
  try {
    const report = await run.hands.checks.run(request, run.signal);
    return { ...judgementOf(report, request), request, reached: report.pytest?.reached ?? {} };
  } catch (error) {
    if (error instanceof HandsLost) return { ...diedTwice, request, reached: {} };
    throw error;
  }
}

function withoutEnvironment(problem: string): Judgement {
  const check = { name: "environment", passed: false, reason: "no_environment", output: problem, ms: 0 };
  return { passed: false, checks: [check], expected: [], seen: [], integrityNotes: [] };
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
