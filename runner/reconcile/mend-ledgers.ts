import { parseCase } from "../dialogue/case.js";
import { diffSummary } from "../dialogue/ledger.js";
import type { RunContext } from "../loop/context/run-context.js";
import { lastAccepted } from "../loop/last-accepted.js";
import type { Case, LedgerEntry } from "../session/log/events/verdicts.js";
import type { Task } from "../session/state/prd.js";
import type { Judged, Past } from "./past.js";

/** Makes sure each verdict has its entry in the log and in the ledger's file; returns what was mended. */
export async function mendLedgers(run: RunContext, past: Past): Promise<readonly string[]> {
  const mended: string[] = [];
  for (const task of run.files.loadPrd())
    if (await mendLedger(run, past, task)) mended.push(`the ledger of ${task.id}`);
  return mended;
}

async function mendLedger(run: RunContext, past: Past, task: Task): Promise<boolean> {
  const { files, events } = run;
  const written = files.loadLedger(task.id);
  const missing = past.unledgered(task.id);
  if (missing !== null) {
    const entry = written[past.entriesOf(task.id).length] ?? (await entryOf(run, task, missing));
    events.append("ledger_appended", { ...missing.span, entry });
  }
  const entries = past.entriesOf(task.id);
  if (JSON.stringify(entries) !== JSON.stringify(written)) files.saveLedger(task.id, entries);
  else if (missing === null) return false;
  return true;
}

async function entryOf(
  run: RunContext,
  task: Task,
  { ts, span, verdict, tree, presented }: Judged,
): Promise<LedgerEntry> {
  const parsed = parseCase({ arguments: JSON.stringify(presented) }, task);
  return {
    ts,
    iter: span.iter,
    diff_summary: await changesUpTo(run, tree),
    case: parsed.ok ? parsed.value : lostCase,
    verdict,
  };
}

async function changesUpTo(run: RunContext, tree: Judged["tree"]): Promise<string> {
  await run.repository();
  const { clerk } = run.hands;
  if (!(await clerk.holds(tree, run.signal))) return "not known: the tree was lost";
  const last = await lastAccepted(run);
  return diffSummary(await clerk.changes(last.tree, tree, run.signal));
}

const lostCase: Case = { summary: "(lost)", ac_coverage: [], work_arounds: [], uncertainties: [] };
