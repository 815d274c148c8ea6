import { TilthError } from "../../base/errors.js";
import type { CommitId, SessionId } from "../../base/ids.js";
import type { HandsImage } from "../../hands/ports/hands.js";
import type { HandsProvider } from "../../hands/ports/provider.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { SessionStore } from "../../session/store.js";
import type { Settings } from "../../settings/settings.js";
import { shellWord } from "../../source/git/shell-word.js";
import type { Source } from "../../source/preflight/preflight.js";
import { branchTip } from "../../source/refs/branch-ref.js";
import { unmergedCount } from "../../source/refs/history.js";
import { checkedOut, worktreesOn } from "../../source/worktree/checked-out.js";
import { hasWorktree } from "./remove-session.js";
import { type SessionSource, sourceOfSession } from "./session-source.js";

export interface RemovalRequest {
  readonly store: SessionStore;
  readonly files: SessionFiles;
  readonly settings: Settings;
  readonly provider: HandsProvider;
  /** called only if there is a worktree, which only a container may empty */
  readonly image: () => Promise<HandsImage>;
}

/** A session that can be removed, with everything to be known before it is. */
export interface Removal extends Omit<RemovalRequest, "image"> {
  /** null when nothing has to be emptied */
  readonly image: HandsImage | null;
  readonly from: SessionSource;
  readonly branch: BranchEnd | null;
}

export interface BranchEnd {
  readonly tip: CommitId;
  /** number of its commits that no other ref holds; null if git could not tell */
  readonly unmerged: number | null;
}

/** Changes nothing. Throws TilthError `usage` if the session must not be removed as things stand. */
export async function planRemoval({ image, ...looked }: RemovalRequest, signal: AbortSignal): Promise<Removal> {
  const { files, settings } = looked;
  const from = await sourceOfSession(files, settings, signal);
  const branch = from.kind === "found" ? await branchEnd(from.source, files, signal) : null;
  return { ...looked, from, branch, image: hasWorktree(files) ? await image() : null };
}

async function branchEnd(source: Source, { id, paths }: SessionFiles, signal: AbortSignal): Promise<BranchEnd | null> {
  const tip = await ownBranch(source, id, signal);
  if (tip === null) return null;
  const [other] = worktreesOn(source, id, paths.worktree);
  if (other !== undefined) throw checkedOut(id, other, source);
  return { tip, unmerged: await counted(source, id, signal) };
}

/** Nothing has changed yet, so a symbolic ref in the branch's place is for the person to put right. */
async function ownBranch(source: Source, id: SessionId, signal: AbortSignal) {
  try {
    return await branchTip(source, id, signal);
  } catch (error) {
    if (!(error instanceof TilthError) || error.code !== "branch_moved") throw error;
    const undo = `git -C ${shellWord(source.workTree)} symbolic-ref -d refs/heads/session/${id}`;
    throw new TilthError("usage", error.message, `remove that symbolic ref first: ${undo}`, error);
  }
}

/** A source that lacks objects cannot tell, which is no reason to keep the session. */
async function counted(source: Source, id: SessionId, signal: AbortSignal): Promise<number | null> {
  try {
    return await unmergedCount(source, id, signal);
  } catch (error) {
    if (error instanceof TilthError) return null;
    throw error;
  }
}

/** Says where the branch was, as the end of a sentence; empty if there is no branch. */
export function branchText({ branch }: Pick<Removal, "branch">): string {
  return branch === null ? "" : `; its branch was at ${branch.tip}${lossText(branch)}`;
}

/** Says how many commits are lost for good, starting with a comma. */
export function lossText({ unmerged }: BranchEnd): string {
  if (unmerged === null) return ", and git cannot tell how many of its commits are merged nowhere";
  if (unmerged === 0) return ", all of it merged elsewhere";
  return `, ${unmerged} commit${unmerged === 1 ? "" : "s"} of it merged nowhere`;
}

/** Returns the command that brings the branch back; null if there is no branch. */
export function restoreCommand({ from, branch, files }: Removal): string | null {
  return branch === null || from.kind !== "found" ? null : branchCommand(from.source, files.id, branch.tip);
}

function branchCommand({ workTree }: Source, id: SessionId, at: CommitId): string {
  return `git -C ${shellWord(workTree)} branch session/${id} ${at}`;
}

/** Remarks on what the removal will leave behind or did not find; empty if everything is known and there. */
export function remarksOnRemoval({ from, branch, files: { id } }: Removal): readonly string[] {
  switch (from.kind) {
    case "unknown":
      return [
        `neither checkpoint.json nor the log says which source it belongs to, so a branch session/${id} there stays where it is`,
      ];
    case "gone":
      return [`${from.why}: the branch session/${id} of '${from.path}' cannot be removed`];
    case "found":
      return branch === null ? [withoutBranch(from.source, id, from.last)] : [];
  }
}

/** A reset that was cut short may have removed the branch already. */
function withoutBranch(source: Source, id: SessionId, last: CommitId | null): string {
  const left = last === null ? "" : `; bring it back where the session left it: ${branchCommand(source, id, last)}`;
  return `'${source.workTree}' has no branch session/${id}${left}`;
}
