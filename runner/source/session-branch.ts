import type { CommitId, HostPath, SessionId, TreeId } from "../base/ids.js";
import type { Branch, BranchMove, FileStart, IncomingCommit } from "../loop/context/branch.js";
import type { Repository } from "./git/base-pack.js";
import { importObjects } from "./import/import.js";
import type { PathPolicy } from "./import/import-policy.js";
import { branchMoved, branchTip, moveBranch } from "./refs/branch-ref.js";
import { commitTree, readCommitted } from "./refs/history.js";
import type { KeptPack } from "./refs/kept-pack.js";
import { quarantineIn } from "./refs/locks.js";
import { ownRecord, writeAdminIndex } from "./worktree/worktree.js";

export interface SessionPlace {
  readonly id: SessionId;
  readonly base: CommitId;
  /** the commit at which the session last left its branch */
  readonly last: CommitId;
  readonly worktree: HostPath;
  readonly allowed: PathPolicy | null;
}

/** `session/<id>` in a real source. */
export class SessionBranch implements Branch {
  readonly base: CommitId;
  readonly #source: Repository;
  readonly #place: SessionPlace;
  #last: CommitId;
  /** packs that were taken and that the branch does not reach yet */
  readonly #kept: KeptPack[] = [];
  readonly #trees = new Map<CommitId, TreeId>();

  constructor(source: Repository, place: SessionPlace) {
    this.#source = source;
    this.#place = place;
    this.base = place.base;
    this.#last = place.last;
  }

  async tip(signal: AbortSignal): Promise<CommitId> {
    // usually asked for next, so it is read in parallel
    const tree = this.treeOf(this.#last, signal).catch(() => undefined);
    const tip = await branchTip(this.#source, this.#place.id, signal);
    await tree;
    if (tip !== this.#last) throw branchMoved(this.#source, this.#place.id, this.#last, tip);
    return tip;
  }

  async treeOf(commit: CommitId, signal: AbortSignal): Promise<TreeId> {
    const tree = this.#trees.get(commit) ?? (await commitTree(this.#source, commit, signal));
    this.#trees.set(commit, tree);
    return tree;
  }

  async take(incoming: IncomingCommit, signal: AbortSignal): Promise<void> {
    const { id, allowed, worktree } = this.#place;
    const quarantine = quarantineIn(ownRecord(this.#source, worktree));
    this.#kept.push(await importObjects(this.#source, { ...incoming, session: id, quarantine, allowed }, signal));
    this.#trees.set(incoming.commit, incoming.tree);
  }

  async move(step: BranchMove, signal: AbortSignal): Promise<void> {
    await moveBranch(this.#source, this.#place.id, step, signal);
    this.#last = step.to;
    for (const pack of this.#kept.splice(0)) pack.release();
  }

  show(commit: CommitId, signal: AbortSignal): Promise<void> {
    return writeAdminIndex(this.#source, this.#place.worktree, commit, signal);
  }

  async readFile(commit: CommitId, path: string, maxBytes: number, signal: AbortSignal): Promise<FileStart | null> {
    return readCommitted(this.#source, { tree: await this.treeOf(commit, signal), path, maxBytes }, signal);
  }
}
