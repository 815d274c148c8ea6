import { rmSync } from "node:fs";
import { join } from "node:path";
import { TilthError } from "../../base/errors.js";
import type { SessionId } from "../../base/ids.js";
import type { Repository } from "../git/base-pack.js";
import { lstatOf } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import { releaseKept } from "./kept-pack.js";
import { adminEntries } from "./worktree-admin.js";

/** Call this after git has failed: git itself has waited for such a lock before. */
export function lockInTheWay(paths: readonly string[]): TilthError | null {
  const lock = paths.find((path) => lstatOf(path) !== null);
  if (lock === undefined) return null;
  const hint = `wait for the git that holds it; if none is running: rm ${shellWord(lock)}`;
  return new TilthError("infra", `another git holds '${lock}' and did not release it within 10 seconds`, hint);
}

/** Removes locks of a git that died under this session; only for the holder of the session's lock. */
export function clearOwnLocks(source: Repository, id: SessionId, worktree: string): void {
  rmSync(join(source.commonDir, `refs/heads/session/${id}.lock`), { force: true });
  for (const entry of adminEntries(source.commonDir, worktree)) {
    for (const name of ["index.lock", "HEAD.lock"]) rmSync(join(entry, name), { force: true });
    rmSync(quarantineIn(entry), { recursive: true, force: true });
  }
  releaseKept(source, id);
}

/**
 * Lies in git's record of the session's work tree and goes with it. Among the objects, a person's `gc --prune=now`
 * would remove it while it is in use.
 */
export function quarantineIn(record: string): string {
  return join(record, "incoming");
}
