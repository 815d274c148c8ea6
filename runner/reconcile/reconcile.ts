import type { RunContext } from "../loop/context/run-context.js";
import type { SessionFiles } from "../session/session-files.js";
import type { Prd } from "../session/state/prd.js";
import { mendLedgers } from "./mend-ledgers.js";
import type { Past, TaskCommit } from "./past.js";

export interface Resumption {
  readonly past: Past;
  /** a commit that is on the branch and not in the log yet */
  readonly settled: TaskCommit | null;
}

/**
 * Brings log, plan, progress and checkpoint in line with the branch, in this order, so that it can be repeated if it is
 * cut short; returns what was missing.
 */
export async function reconcile(run: RunContext, { past, settled }: Resumption): Promise<readonly string[]> {
  const { files, events } = run;
  const mended: string[] = [];
  if (settled !== null) {
    const { span, sha, tree } = settled;
    events.append("commit", { ...span, sha, tree });
    mended.push(`the commit of ${span.task_id}`);
  }
  for (const { span, sha } of [...past.undone]) {
    events.append("task_done", { ...span, sha });
    mended.push(`${span.task_id} is done`);
  }
  mended.push(...(await mendLedgers(run, past)));
  mended.push(...mendPlan(files, past), ...mendProgress(files, past), ...mendCheckpoint(files, past));
  return mended;
}

/** The tasks of prd.json with the statuses that branch and log give them. */
export function planOf(files: SessionFiles, past: Past): Prd {
  return files.loadPrd().map((task) => ({ ...task, status: past.statusOf(task.id) }));
}

function mendPlan(files: SessionFiles, past: Past): readonly string[] {
  const plan = planOf(files, past);
  const written = new Map(files.loadPrd().map(({ id, status }) => [id, status]));
  const wrong = plan.filter(({ id, status }) => status !== written.get(id));
  if (wrong.length > 0) files.savePrd(plan);
  return wrong.map(({ id, status }) => `${id} is ${status} in prd.json`);
}

function mendProgress(files: SessionFiles, past: Past): readonly string[] {
  const titles = new Map(files.loadPrd().map(({ id, title }) => [id, title]));
  const outcomes = past.outcomes.map(({ taskId, how }) => ({
    id: taskId,
    title: titles.get(taskId) ?? "",
    outcome: how,
  }));
  return files.mendProgress(outcomes) ? ["progress.txt"] : [];
}

function mendCheckpoint(files: SessionFiles, { last }: Past): readonly string[] {
  if (last === null || files.loadCheckpoint().last_commit === last) return [];
  files.updateCheckpoint({ last_commit: last });
  return ["the last commit in checkpoint.json"];
}
