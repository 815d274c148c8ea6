import { lstatSync } from "node:fs";
import type { Hands } from "./hands/hands.js";
import type { SessionFiles } from "./session/session-files.js";
import type { SessionStore } from "./session/store.js";
import { branchTip, deleteBranch } from "./source/branch-ref.js";
import type { Source } from "./source/preflight.js";
import { removeWorktree } from "./source/worktree.js";
import { commitId } from "./support/ids.js";

export interface Roots {
  readonly source: Source;
  readonly store: SessionStore;
  readonly files: SessionFiles;
  readonly hands: Hands;
}

/**
 * Takes a session away whole: what the worker left, the worktree and its record, the branch, the volume, the folder; in
 * that order, so that what is cut short can be done again. Only for who holds its lock.
 */
export async function uproot({ source, store, files, hands }: Roots, signal: AbortSignal): Promise<void> {
  const { worktree } = files.paths;
  if (lstatSync(worktree, { throwIfNoEntry: false })?.isDirectory()) {
    await hands.clerk.open(commitId(files.loadCheckpoint().last_commit), signal);
    await hands.clerk.empty(signal);
  }
  await hands.discard();
  removeWorktree(source, worktree);
  const tip = await branchTip(source, files.id, signal);
  if (tip !== null) await deleteBranch(source, files.id, tip, signal);
  store.remove(files.id);
}
