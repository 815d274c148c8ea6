import { awakeSignal } from "../../base/awake.js";
import { TilthError } from "../../base/errors.js";
import { type Hands, HandsLost } from "../../hands/ports/hands.js";
import type { WayOut } from "../../hands/ports/way-out.js";
import { SleepLosses } from "../../session/log/hands-events.js";
import type { SessionFiles } from "../../session/session-files.js";
import { clearOwnLocks } from "../../source/refs/locks.js";
import type { Basis } from "./basis.js";

/**
 * Opens the hands of one session. Their first container waits until leftovers of dead processes are gone. The caller
 * must hold the session's lock.
 */
export function handsOf(
  files: SessionFiles,
  basis: Basis,
  { signal, wayOut = null, losses = new SleepLosses(), ...lease }: HandsExtras,
): Hands {
  return basis.provider.open({ ...ofSession(files, basis, signal), wayOut, lostAsleep: losses.note, ...lease });
}

export interface HandsExtras {
  readonly signal: AbortSignal;
  readonly wayOut?: WayOut | null;
  readonly losses?: SleepLosses;
  /** how long a container survives without a sign from the host */
  readonly leaseSeconds?: number;
}

/** Opens both parts of an interview: the container that reads the source, and the hands that try the seed. */
export function readingAndHands(files: SessionFiles, basis: Basis, signal: AbortSignal) {
  const losses = new SleepLosses();
  const parts = { ...ofSession(files, basis, signal), lostAsleep: losses.note };
  const { provider, source } = basis;
  return { reading: provider.openReading({ ...parts, source }), hands: provider.open(parts), losses };
}

/** Clears what is left of the session, once for all parts opened here: clearing would remove a part already running. */
function ofSession(files: SessionFiles, { provider, image, source }: Basis, signal: AbortSignal) {
  const { worktree } = files.paths;
  const cleared = Promise.all([provider.clearSession(files.id, signal), provider.clearDead(signal)]);
  clearOwnLocks(source, files.id, worktree);
  return { image, session: files.id, worktree, cleared, signal };
}

export const undoMs = 30_000;

/**
 * Runs work that puts things back, with a time limit of its own. If a container is lost it is tried once more, with a
 * new limit.
 */
export async function undoing(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  try {
    await work(awakeSignal(undoMs));
  } catch (error) {
    if (!(error instanceof HandsLost)) throw error;
    await work(awakeSignal(undoMs));
  }
}

/** While a session is being prepared, nobody could resume it after a lost container. */
export function lossAsInfra(error: unknown): unknown {
  if (!(error instanceof HandsLost)) return error;
  return new TilthError("infra", `the ${error.role} container was lost: ${error.message}`, "tilth doctor", error);
}
