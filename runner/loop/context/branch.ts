import type { CommitId, TreeId } from "../../base/ids.js";

/**
 * The session's branch in the source: `refs/heads/session/<id>`.
 *
 * Throws TilthError `branch_moved` if somebody else moved it, and TilthError `infra` if git or the disk failed; the
 * source is then as it was.
 */
export interface Branch {
  readonly base: CommitId;
  /** The commit where the session left the branch; `branch_moved` if the branch is anywhere else. */
  tip(signal: AbortSignal): Promise<CommitId>;
  treeOf(commit: CommitId, signal: AbortSignal): Promise<TreeId>;
  /** Takes in the objects of an accepted commit, checked strictly and made durable; no ref moves yet. */
  take(incoming: IncomingCommit, signal: AbortSignal): Promise<void>;
  /** The commit point: compare-and-swap, durable on return. */
  move(step: BranchMove, signal: AbortSignal): Promise<void>;
  /** Makes `git status` in the worktree tell a person the truth about `commit`. */
  show(commit: CommitId, signal: AbortSignal): Promise<void>;
  /** Reads at most `maxBytes` of a file of any size; null if there is no regular file there. */
  readFile(commit: CommitId, path: string, maxBytes: number, signal: AbortSignal): Promise<FileStart | null>;
}

export interface BranchMove {
  readonly from: CommitId;
  readonly to: CommitId;
  /** the reason recorded in the branch's reflog */
  readonly why: "seed" | "seed taken back" | "task accepted";
}

export interface FileStart {
  readonly content: Uint8Array;
  /** size of the whole file */
  readonly size: number;
}

export interface IncomingCommit {
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly parent: CommitId;
  readonly pack: AsyncIterable<Uint8Array>;
}
