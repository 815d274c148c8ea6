import { chmodSync, chownSync } from "node:fs";
import { worktreeGroup } from "../../runner/hands/ports/identity.js";

/** Sets owner and mode as `addWorktree` does for a new worktree, for tests without a source. */
export function letContainersWrite(worktree: string): void {
  const group = worktreeGroup();
  if (group === null) return;
  chownSync(worktree, 0, group);
  chmodSync(worktree, 0o775);
}
