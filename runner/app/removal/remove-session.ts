import { lstatSync, unlinkSync } from "node:fs";
import { Interrupted, TilthError } from "../../base/errors.js";
import type { CommitId, HostPath } from "../../base/ids.js";
import { diskTrouble } from "../../disk/disk-trouble.js";
import { type Hands, HandsLost } from "../../hands/ports/hands.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { SessionStore } from "../../session/store.js";
import type { Source } from "../../source/preflight/preflight.js";
import { branchTip } from "../../source/refs/branch-ref.js";
import { clearOwnLocks } from "../../source/refs/locks.js";
import { deleteBranch } from "../../source/worktree/checked-out.js";
import { removeWorktree, removeWorktreeFolder } from "../../source/worktree/worktree.js";
import { undoing, undoMs } from "../opening/session-hands.js";

interface OnHost {
  /** null if the source is gone or unknown */
  readonly source: Source | null;
  readonly store: SessionStore;
  readonly files: SessionFiles;
}

export interface RemovalParts extends OnHost {
  readonly source: Source;
  readonly hands: Hands;
}

/**
 * Removes a session that is of no use to anybody: what the worker left, the repository of its hands, the worktree and
 * its record, the branch, the folder. In that order, an interrupted removal can be run again. The caller must hold the
 * session's lock.
 */
export async function removeSession({ hands, ...onHost }: RemovalParts, signal: AbortSignal): Promise<void> {
  const { source, files } = onHost;
  if (hasWorktree(files)) await hands.clerk.empty(signal);
  await hands.discard();
  await removeFromHost(onHost, await branchTip(source, files.id, signal), signal);
}

/**
 * Removes an unsuccessful session within 30 s. Returns null if nothing is left of it, otherwise the reason in words.
 * Bugs are thrown.
 */
export async function undo(parts: RemovalParts): Promise<string | null> {
  try {
    await undoing((limit) => removeSession(parts, limit));
    return null;
  } catch (error) {
    // only the time-out can interrupt it
    if (error instanceof Interrupted) return `it took longer than ${undoMs / 1000} s`;
    if (!(error instanceof TilthError || error instanceof HandsLost)) throw error;
    return error.message;
  }
}

/**
 * Deletes the session's branch only if it stands at `tip`. The clerk has emptied the worktree by now, and nothing runs
 * in it.
 */
export async function removeFromHost(
  { source, store, files }: OnHost,
  tip: CommitId | null,
  signal: AbortSignal,
): Promise<void> {
  const { worktree } = files.paths;
  unlinkStandIn(worktree);
  if (source === null) removeWorktreeFolder(worktree);
  else {
    clearOwnLocks(source, files.id, worktree);
    removeWorktree(source, worktree);
    if (tip !== null) await deleteBranch(source, files.id, tip, signal);
  }
  store.remove(files.id);
}

/** True for a real folder, which may hold what the worker left; a link in its place does not count. */
export function hasWorktree({ paths }: SessionFiles): boolean {
  return lstatSync(paths.worktree, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Removes a link in the worktree's place, never what the link leads to. */
function unlinkStandIn(worktree: HostPath): void {
  const stat = lstatSync(worktree, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return;
  try {
    unlinkSync(worktree);
  } catch (error) {
    throw diskTrouble("remove", worktree, error);
  }
}
