import { TilthError } from "../../base/errors.js";
import type { SessionId } from "../../base/ids.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Settings } from "../../settings/settings.js";
import { checkAgain } from "./again/check-again.js";
import { compareLocks, EnvironmentsOnRecord } from "./again/environments-again.js";
import { recheckHandsOn } from "./again/open-recheck-hands.js";
import type { OpenRecheckHands } from "./again/recheck-hands.js";
import { recheckable, standing } from "./again/recheckable.js";
import { BorrowedLock } from "./borrowed-lock.js";
import { type Committed, compareCommits } from "./committed/committed.js";
import { type Difference, Findings } from "./log/findings.js";
import { compareFiles, type Recorded, readRecorded } from "./recorded/recorded.js";

export interface VerifyOrder {
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** those of the provider of hands by default */
  readonly openHands?: OpenRecheckHands;
}

export interface Verification {
  readonly id: SessionId;
  readonly agrees: boolean;
  readonly compared: readonly string[];
  readonly remarks: readonly string[];
  readonly differs: readonly Difference[];
}

/**
 * Compares everything on record of a session with everything else, and runs the checks of its accepted tasks again.
 * Changes nothing of the session. Throws TilthError `busy` while another process holds it, and the error that kept
 * checks from being run again if all else agrees.
 */
export async function verifySession(order: VerifyOrder): Promise<Verification> {
  using lock = BorrowedLock.acquire(order.files.paths.lock);
  const signal = AbortSignal.any([order.signal, lock.lost]);
  const findings = new Findings();
  try {
    await compareAll({ ...order, signal }, findings);
  } catch (error) {
    throw signal.reason instanceof TilthError ? signal.reason : error;
  }
  const { compared, remarks, differs } = findings;
  return { id: order.files.id, agrees: differs.length === 0, compared, remarks, differs };
}

/** Comparisons that need least come first, so that as much as possible is said if something is missing. */
async function compareAll(order: VerifyOrder, findings: Findings): Promise<void> {
  const recorded = await readRecorded(order.files, findings);
  if (recorded === null) return;
  compareFiles(recorded, order.files, findings);
  compareLocks(recorded.log, order.files, findings);
  const committed = await compareCommits(recorded, { ...order, findings });
  if (committed === null) return;
  try {
    await runAgain(recorded, committed, { order, findings });
  } catch (error) {
    if (!(error instanceof TilthError) || order.signal.aborted) throw error;
    if (findings.differs.length > 0) findings.remarks.push(`not every check was run again: ${error.message}`);
    else {
      order.say("everything that needs no container agrees; the checks could not be run again");
      throw error;
    }
  }
}

async function runAgain(
  { state, log, acceptances }: Recorded,
  committed: Committed,
  { order, findings }: { readonly order: VerifyOrder; readonly findings: Findings },
): Promise<void> {
  const { settings, openHands = recheckHandsOn(settings) } = order;
  const { source, base } = committed;
  const commits = standing(committed);
  const rechecks = recheckable({ ...committed, prd: state.prd, acceptances, commits }, findings);
  if (rechecks.length === 0) return;
  if (log.of("red_check", "counter_check").length === 0)
    findings.remarks.push("a session of a version without red checks and counter-checks: neither was run again");
  const ids = [...commits.values()].map(({ id }) => id);
  const environments = new EnvironmentsOnRecord(log, order.files);
  await checkAgain(rechecks, { ...order, source, base, commits: ids, openHands, environments, findings });
}
