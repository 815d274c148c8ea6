import { existsSync } from "node:fs";
import { TilthError } from "../../base/errors.js";
import type { SessionId } from "../../base/ids.js";
import { locate } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import { adminEntries } from "../refs/worktree-admin.js";

/** A session knows its source only by its path; a source that was moved is not searched for. */
export function refuseMovedSource(id: SessionId, source: string): void {
  if (!existsSync(source)) throw movedSource(id, source);
}

export function movedSource(id: SessionId, source: string): TilthError {
  const message = `the source of session ${id} was '${source}', but nothing is there now`;
  return new TilthError("usage", message, `move it back: mv <where it is now> ${shellWord(source)}`);
}

/** Tells whether a repository at `path` has the record of this work tree. */
export function knowsWorktree(path: string, worktree: string): boolean {
  try {
    return adminEntries(locate(path).commonDir, worktree).length > 0;
  } catch (error) {
    if (error instanceof TilthError) return false;
    throw error;
  }
}
