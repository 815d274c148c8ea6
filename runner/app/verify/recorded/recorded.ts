import { TilthError } from "../../../base/errors.js";
import type { SessionId } from "../../../base/ids.js";
import type { SessionFiles } from "../../../session/session-files.js";
import { type Acceptance, acceptancesIn } from "../log/acceptances.js";
import type { Findings } from "../log/findings.js";
import { compareImages, compareVerdicts } from "../log/log-judgements.js";
import { type RecordedLog, readLog } from "../log/recorded-log.js";
import { compareLedgers } from "./ledgers.js";
import { compareCheckpoint, compareProgress, compareStaging, compareStatuses } from "./state-against-log.js";
import { loadState, type State } from "./state-files.js";
import { Sums } from "./sums.js";
import { TaskTexts } from "./task-texts.js";

/** The record in the session's folder, which can be read without git and without hands. */
export interface Recorded {
  readonly id: SessionId;
  readonly state: State;
  readonly log: RecordedLog;
  readonly acceptances: readonly Acceptance[];
}

/**
 * Reads the record and checks each file against its schema; null if the log cannot be read, because nothing can be
 * compared then.
 */
export async function readRecorded(files: SessionFiles, findings: Findings): Promise<Recorded | null> {
  const state = loadState(files, findings);
  const [sums, texts] = [new Sums(state.summary), new TaskTexts(state.prd)];
  const log = await readLog(files.paths.events, [sums.add.bind(sums), texts.add.bind(texts)], findings);
  if (log === null) {
    findings.remarks.push("without a whole log, nothing else could be compared");
    return null;
  }
  refuseUnprepared(files.id, state, log);
  findings.compared.push(`${log.lines} events: their form and their order`);
  if (!log.isClosed) findings.remarks.push("the last run was cut short; what tilth resume would repair may differ");
  sums.compare(state.checkpoint, log.isClosed, findings);
  texts.compare(findings);
  return { id: files.id, state, log, acceptances: acceptancesIn(log) };
}

/** Compares the state files and the ledgers with the log. */
export function compareFiles({ id, state, log }: Recorded, files: SessionFiles, findings: Findings): void {
  const { checkpoint, prd, progress, seedMeta } = state;
  if (checkpoint !== null) compareCheckpoint(checkpoint, { id, log, findings });
  if (prd !== null) compareStatuses(prd, log, findings);
  if (prd !== null && progress !== null) compareProgress(progress, { prd, log, findings });
  compareStaging(log, { prd, seedMeta, findings });
  const judged = log.of("evaluator_verdict", "ledger_appended").map(({ payload }) => payload.task_id);
  const taskIds = [...new Set([...(prd ?? []).map((task) => task.id), ...judged])];
  compareVerdicts(log, taskIds, findings);
  compareImages(log, findings);
  compareLedgers(files, { log, taskIds, findings });
}

/** Refuses a session that is still being prepared, or whose interview ended without a seed. */
function refuseUnprepared(id: SessionId, { checkpoint }: State, log: RecordedLog): void {
  const wasGivenUp = checkpoint?.status === "failed" && log.of("session_prepared", "commit").length === 0;
  if (checkpoint?.status !== "preparing" && !wasGivenUp) return;
  throw new TilthError(
    "usage",
    `session ${id} was never prepared; there is nothing to verify`,
    "list the sessions: tilth sessions",
  );
}
