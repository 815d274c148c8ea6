import { commitId, hostPath } from "../../runner/base/ids.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Task } from "../../runner/session/state/prd.js";
import type { SessionStore } from "../../runner/session/store.js";
import { SummaryRollup } from "../../runner/session/summary/summary.js";
import type { Summary } from "../../runner/session/summary/summary-schema.js";
import { inTask, logOf, modelCall, oid } from "../session/event-fixtures.js";

type Receipt = Summary["receipts"][number];

/** A session that accepted one task for each receipt; each receipt says only what is unusual about it. */
export function pastSession(store: SessionStore, source: string, receipts: readonly Partial<Receipt>[]): SessionFiles {
  const files = store.create({ source: hostPath(source), baseCommit: commitId(oid("1")) });
  const rollup = new SummaryRollup();
  for (const [at] of receipts.entries()) {
    const task = `T-00${at + 1}`;
    const commit = { ...inTask(task, 1), sha: oid("2"), tree: oid("1") };
    for (const event of logOf(["model_call", modelCall(task, 1)], ["commit", commit])) rollup.add(event);
  }
  const summary = rollup.summary(null);
  files.saveSummary({
    ...summary,
    receipts: summary.receipts.map((receipt, at) => ({ ...receipt, ...receipts[at] })),
  });
  files.updateCheckpoint({ status: "all_done" });
  return files;
}

/** A prepared session that waits to be run, with tasks of these statuses. */
export function preparedSession(store: SessionStore, source: string, tasks: readonly Task["status"][]): SessionFiles {
  const files = store.create({ source: hostPath(source), baseCommit: commitId(oid("1")) });
  files.savePrd(
    tasks.map((status, at) => ({
      id: `T-00${at + 1}`,
      title: "A title",
      description: "What to do.",
      acceptance_criteria: ["It works."],
      status,
    })),
  );
  files.updateCheckpoint({ status: "prepared" });
  return files;
}
