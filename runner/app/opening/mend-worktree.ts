import { worktreeGroup } from "../../hands/ports/identity.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Repository } from "../../source/git/base-pack.js";
import { ensureWorktree, type Mended } from "../../source/worktree/worktree-mend.js";

/**
 * Restores git's record of a session's worktree, or its folder, and says so. The caller must hold the session's lock.
 */
export function mendWorktree(files: SessionFiles, source: Repository, say: (line: string) => void): Mended {
  const path = files.paths.worktree;
  const mended = ensureWorktree(source, { id: files.id, path, group: worktreeGroup() });
  if (mended === "record") say(`git had no record of the worktree '${path}' any more; the record is made again`);
  if (mended === "folder") say(`the worktree '${path}' was gone or empty; its files are made again`);
  return mended;
}
