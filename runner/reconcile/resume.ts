import type { RunContext } from "../loop/context/run-context.js";
import { takeUp, type Uncommitted } from "../loop/take-up.js";
import type { Payload } from "../session/log/events.js";
import type { Prd, Task } from "../session/state/prd.js";
import type { Past } from "./past.js";
import { type Resumption, reconcile } from "./reconcile.js";

/** Prepares a resumed run: mends the record, sets failed tasks back to pending, commits what was accepted. */
export async function resume(run: RunContext, resumption: Resumption): Promise<void> {
  const { past, settled } = resumption;
  const lastStop = past.lastStop;
  const reconciled = await reconcile(run, resumption);
  announce(run, { last_stop: lastStop, reconciled: [...reconciled] });
  await run.branch.tip(run.signal);
  if (settled !== null) await run.environments.putInForce({ ...settled.span, tree: settled.tree });
  const uncommitted = uncommittedOf(run, past);
  if (uncommitted !== null) await takeUp(run, uncommitted);
}

type ResumeFacts = Pick<Payload<"session_resume">, "last_stop" | "reconciled">;

/** The log says which tasks are retried before prd.json is changed. */
function announce({ files, events, hands, plan }: RunContext, found: ResumeFacts): void {
  const prd = plan();
  const retried = idsOf(prd, "failed");
  const { image: image_before } = files.loadCheckpoint();
  files.updateCheckpoint({ status: "running", image: hands.image.id });
  events.append("session_resume", {
    ...found,
    retried,
    pending: idsOf(prd, "pending"),
    plan: prd.map(planned),
    image: hands.image.id,
    image_before,
  });
  for (const id of retried) files.setTaskStatus(id, "pending");
}

function idsOf(prd: Prd, wanted: Task["status"]): string[] {
  return prd.filter(({ status }) => status === wanted).map(({ id }) => id);
}

const words = { done: "done", failed: "again", pending: "to do" } as const;

function planned({ id, title, status }: Task): string {
  return `${id} ${words[status]}: ${title}`;
}

function uncommittedOf({ files }: RunContext, past: Past): Uncommitted | null {
  const judged = past.accepted();
  const task = files.loadPrd().find(({ id }) => id === judged?.span.task_id);
  if (judged === null || task === undefined) return null;
  const entry = past.entriesOf(task.id).at(-1);
  if (entry === undefined) throw new Error(`the verdict on ${task.id} has no entry in its ledger`);
  const { span, tree, countered, suited } = judged;
  return { task, span, tree, case: entry.case, countered: countered === true, suited: suited === true };
}
