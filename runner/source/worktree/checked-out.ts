import { basename, dirname, join } from "node:path";
import { TilthError } from "../../base/errors.js";
import type { CommitId, HostPath, SessionId } from "../../base/ids.js";
import { readRegular } from "../../disk/read-regular.js";
import type { Repository } from "../git/base-pack.js";
import { lstatOf, type Places } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import { branchRef, branchTip, dropBranch } from "../refs/branch-ref.js";
import { namesIn } from "../refs/worktree-admin.js";

/** Files in which git notes the branch of a work tree, also the one it returns to after a rebase or a bisect. */
const notes = ["HEAD", "rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];

/**
 * Lists work trees of the source on the session's branch, except the session's `own`. It reads the source's own
 * records: git would look into each work tree, and name only one of several on the same branch.
 */
export function worktreesOn(source: Places, id: SessionId, own: HostPath | null): string[] {
  const main = basename(source.commonDir) === ".git" ? dirname(source.commonDir) : source.commonDir;
  const linked = recordsIn(join(source.commonDir, "worktrees")).map(
    (record) => [record, withoutGit(textOf(join(record, "gitdir")))] as const,
  );
  return [[source.commonDir, main] as const, ...linked]
    .filter(([record, path]) => path !== "" && path !== own && standsOn(record, id))
    .map(([, path]) => path);
}

function standsOn(record: string, id: SessionId): boolean {
  const ref = branchRef(id);
  const said = [`ref: ${ref}`, ref, `session/${id}`];
  return notes.some((note) => said.includes(textOf(join(record, note))));
}

function recordsIn(folder: string): string[] {
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((record) => lstatOf(record)?.isDirectory());
}

function textOf(path: string): string {
  const file = readRegular(path, 64 * 1024);
  return file.ok ? file.content.toString("utf8").replace(/\n$/, "") : "";
}

function withoutGit(path: string): string {
  return path.replace(/\/\.git$/, "");
}

/** Deletes the branch only while it stands at `tip` and no work tree is on it. */
export async function deleteBranch(
  source: Repository,
  id: SessionId,
  tip: CommitId,
  signal: AbortSignal,
): Promise<void> {
  if ((await branchTip(source, id, signal)) === null) return;
  const [standing] = worktreesOn(source, id, null);
  if (standing !== undefined) throw checkedOut(id, standing, source);
  await dropBranch(source, id, tip, signal);
}

/** Returns the error for a branch that another work tree than the session's still has checked out. */
export function checkedOut(id: SessionId, path: string, { workTree }: Places): TilthError {
  const hint =
    lstatOf(path) === null
      ? `that work tree is gone; have git forget it: git -C ${shellWord(workTree)} worktree prune`
      : leaveIt(path);
  return new TilthError("usage", `the branch session/${id} is checked out at '${path}'`, hint);
}

/** In the middle of a rebase or a bisect, git would not leave the branch. */
export function leaveIt(path: string): string {
  return `end a rebase or bisect there, if there is one, and leave the branch: git -C ${shellWord(path)} switch --detach`;
}
