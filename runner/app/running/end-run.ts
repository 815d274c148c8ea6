import { awakeSignal } from "../../base/awake.js";
import { Interrupted, TilthError } from "../../base/errors.js";
import { commitId, type SessionId, type TreeId } from "../../base/ids.js";
import { machineTrouble } from "../../disk/disk-trouble.js";
import { executesOnOrdinaryActions } from "../../disk/executing-files.js";
import { ResidentRefusal } from "../../hands/pipe/channel-errors.js";
import { HandsLost } from "../../hands/ports/hands.js";
import type { Stop } from "../../loop/context/outcome.js";
import type { RunContext } from "../../loop/context/run-context.js";
import { type StopReason, taskFailure } from "../../session/log/events/outcome.js";
import type { SessionStatus } from "../../session/state/checkpoint.js";

const patchBytes = 4 * 1024 * 1024;
/** for the work done once the stop is certain; a person who pressed Ctrl-C is waiting for it */
const closingMs = 8_000;
/** a limit of its own, so that no other step can use it up */
const defusingMs = 60_000;

export interface LeftBehind {
  readonly executes: readonly string[];
  readonly renamed: readonly string[];
  /** anything that could not be finished or reported; null if nothing was left out */
  readonly problem: string | null;
}

/** Turns an error that left the loops into a stop reason; `error` means a bug in tilth. */
export function stopOf(thrown: unknown, id: SessionId, signal: AbortSignal): Stop {
  const error = machineTrouble(thrown) ?? thrown;
  const resume = `tilth resume ${id}`;
  if (error instanceof Interrupted || signal.aborted) return { reason: "interrupted", detail: "", hint: resume };
  if (error instanceof TilthError) {
    const reason = error.code === "provider_denied" || error.code === "branch_moved" ? error.code : "infra";
    return { reason, detail: error.message, hint: error.hint || resume };
  }
  if (error instanceof HandsLost)
    return { reason: "infra", detail: `the ${error.role} container was lost: ${error.message}`, hint: resume };
  if (error instanceof ResidentRefusal && error.code === "io")
    return { reason: "infra", detail: `a container could not do its work: ${error.message}`, hint: resume };
  const detail = error instanceof Error ? error.message : String(error);
  return { reason: "error", detail, hint: "please report this, with the session's tilth.log" };
}

export function statusAfter(reason: StopReason): SessionStatus {
  if (reason === "all_done") return "all_done";
  return reason === "error" || taskFailure.safeParse(reason).success ? "failed" : "running";
}

/** Saves a patch of unfinished work and defuses dangerous files in the worktree; reports what could not be done. */
export async function tidyUp(run: RunContext, stop: Stop): Promise<LeftBehind> {
  await run.workbench.atRest();
  // a process still alive in the container could undo everything that follows
  const gone = await tried(() => run.hands.work.end());
  if (!gone.ok) return unseen(`the worker's container was not seen gone: ${gone.why}`);
  const closing = awakeSignal(closingMs);
  const { clerk } = run.hands;
  // not the branch's tip: the branch may be gone, or somebody else may have moved it
  const last = await tried(() => clerk.treeOf(commitId(run.files.loadCheckpoint().last_commit), closing));
  if (!last.ok) return unseen(last.why);
  if (stop.reason !== "all_done")
    await tried(async () => run.files.savePartialPatch(await clerk.partialPatch(last.value, patchBytes, closing)));
  const accepted = await tried(() => executesInBranch(run, last.value, closing));
  const left = await tried(() => clerk.defuse(last.value, awakeSignal(defusingMs)));
  const inBranch = accepted.ok ? accepted.value : [];
  if (!left.ok) return { executes: inBranch, renamed: [], problem: left.why };
  const { executes, renamed } = left.value;
  const problem = left.value.problem ?? (accepted.ok ? null : `the branch was not looked through: ${accepted.why}`);
  // the two lists are not sorted together: the last entry of a long list says how many more there are
  return { executes: [...new Set([...inBranch, ...executes])], renamed, problem };
}

function unseen(problem: string): LeftBehind {
  return { executes: [], renamed: [], problem };
}

/** Lists the files that accepted commits, seed included, added or changed and that ordinary actions execute. */
async function executesInBranch({ hands, branch }: RunContext, last: TreeId, signal: AbortSignal): Promise<string[]> {
  const changes = await hands.clerk.changes(await branch.treeOf(branch.base, signal), last, signal);
  return changes
    .filter(({ status }) => status !== "deleted")
    .map(({ path }) => path)
    .filter(executesOnOrdinaryActions)
    .sort();
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Tidying up may fail for the same reason the run stopped: the provider of hands, git or the disk. */
async function tried<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof Interrupted) return { ok: false, why: "it took too long" };
    const trouble = machineTrouble(error) ?? error;
    if (trouble instanceof TilthError || trouble instanceof HandsLost) return { ok: false, why: trouble.message };
    throw error;
  }
}
