import { TilthError } from "../../base/errors.js";
import type { CommitId, SessionId } from "../../base/ids.js";
import type { Settings } from "../../base/settings.js";
import type { Engine } from "../../hands/engine.js";
import type { DockerImage } from "../../hands/image-find.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { SessionStore } from "../../session/store.js";
import { branchTip } from "../../source/branch-ref.js";
import { checkedOut, worktreesOn } from "../../source/checked-out.js";
import { unmergedCount } from "../../source/history.js";
import type { Source } from "../../source/preflight.js";
import { shellWord } from "../../source/shell-word.js";
import { hasWorktree } from "./remove-session.js";
import { type SessionSource, sourceOfSession } from "./session-source.js";

export interface RemovalRequest {
  readonly store: SessionStore;
  readonly files: SessionFiles;
  readonly settings: Settings;
  readonly engine: Engine;
  /** asked for when there is a worktree, which only a container may empty */
  readonly image: () => Promise<DockerImage>;
}

/** A session that can be taken away, with all that is to be known before it is. */
export interface Removal extends Omit<RemovalRequest, "image"> {
  /** null when nothing has to be emptied */
  readonly image: DockerImage | null;
  readonly from: SessionSource;
  readonly branch: BranchEnd | null;
}

export interface BranchEnd {
  readonly tip: CommitId;
  /** how many of its commits no other ref holds; null when git could not tell */
  readonly unmerged: number | null;
}

/** Changes nothing, and fails with TilthError `usage` where the session must not be taken away as things stand. */
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

/** Before anything has changed, what is wrong with it is for the person to put right. */
async function ownBranch(source: Source, id: SessionId, signal: AbortSignal) {
  try {
    return await branchTip(source, id, signal);
  } catch (error) {
    if (!(error instanceof TilthError) || error.code !== "branch_moved") throw error;
    const undo = `git -C ${shellWord(source.workTree)} symbolic-ref -d refs/heads/session/${id}`;
    throw new TilthError("usage", error.message, `remove that symbolic ref first: ${undo}`, error);
  }
}

/** A source that lacks objects cannot say, and that is no reason to keep the session. */
async function counted(source: Source, id: SessionId, signal: AbortSignal): Promise<number | null> {
  try {
    return await unmergedCount(source, id, signal);
  } catch (error) {
    if (error instanceof TilthError) return null;
    throw error;
  }
}

/** What becomes of the branch, as the end of a sentence: empty when there is none. */
export function branchText({ branch }: Pick<Removal, "branch">): string {
  return branch === null ? "" : `; its branch was at ${branch.tip}${lossText(branch)}`;
}

/** How many commits go for good, behind a comma. */
export function lossText({ unmerged }: BranchEnd): string {
  if (unmerged === null) return ", and git cannot tell how many of its commits are merged nowhere";
  if (unmerged === 0) return ", all of it merged elsewhere";
  return `, ${unmerged} commit${unmerged === 1 ? "" : "s"} of it merged nowhere`;
}

/** The one command that undoes the loss; null when there is no branch. */
export function restoreCommand({ from, branch, files }: Removal): string | null {
  return branch === null || from.kind !== "found" ? null : branchCommand(from.source, files.id, branch.tip);
}

function branchCommand({ workTree }: Source, id: SessionId, at: CommitId): string {
  return `git -C ${shellWord(workTree)} branch session/${id} ${at}`;
}

/** What a person should know that will not be as it ought to; empty when all is known and there. */
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

/** A reset that was cut short may have removed it. */
function withoutBranch(source: Source, id: SessionId, last: CommitId | null): string {
  const left = last === null ? "" : `; bring it back where the session left it: ${branchCommand(source, id, last)}`;
  return `'${source.workTree}' has no branch session/${id}${left}`;
}
