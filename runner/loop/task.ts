import { quietly } from "../base/quietly.js";
import type { Task } from "../session/state/prd.js";
import { accept } from "./accept.js";
import { type Accepted, type AcceptedCase, CapReached, type TaskEnd, TaskFailed } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";
import { openConversation } from "./conversation.js";
import { RedCheck } from "./judging/red-check.js";
import { lastAccepted } from "./last-accepted.js";
import { Trace } from "./spans.js";
import { Submits } from "./submit.js";
import { OwnTests } from "./suite/own-tests.js";
import { takeTurn } from "./turn.js";

/**
 * Runs one task from its first prompt to its commit or failure. If it throws (interrupted, infra, a refusal of the
 * provider), the task is still pending.
 */
export async function runTask(run: RunContext, task: Task): Promise<TaskEnd> {
  const trace = new Trace(task.id);
  const last = await lastAccepted(run);
  try {
    const accepted = await work(run, task, trace, last);
    const commit = await accept(run, { task, span: trace.span, last, accepted });
    return { kind: "done", commit, tree: accepted.tree };
  } catch (error) {
    if (error instanceof CapReached) return { kind: "capped", stop: error.stop };
    if (!(error instanceof TaskFailed)) throw error;
    run.events.append("task_failed", { ...trace.span, reason: error.reason, detail: error.message });
    run.files.setTaskStatus(task.id, "failed");
    run.files.appendProgress(task, error.reason);
    return { kind: "failed", reason: error.reason, detail: error.message };
  }
}

async function work(run: RunContext, task: Task, trace: Trace, last: Accepted): Promise<AcceptedCase> {
  run.environments.useInForce();
  const conversation = await openConversation(run, task, trace.span, last);
  // these run beside the first model call, but in the log its prompt comes before them
  run.workbench.beginTask(last.commit);
  run.hands.checks.prepare();
  void quietly(run.ruffRules());
  await using red = new RedCheck(run, { task, last, span: trace.span });
  await using own = new OwnTests(run, { last, span: trace.span });
  const submits = new Submits(run, { task, last, red, own });
  for (let spent = 0; spent < run.settings.caps.maxIterationsPerTask; spent += 1) {
    const span = trace.next();
    const accepted = await takeTurn({ run, span, conversation, submits });
    if (accepted !== null) return accepted;
  }
  throw new TaskFailed("iter_cap", `${run.settings.caps.maxIterationsPerTask} replies were spent`);
}
