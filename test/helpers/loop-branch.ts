import { TilthError } from "../../runner/base/errors.js";
import type { CommitId, TreeId } from "../../runner/base/ids.js";
import type { Clerk } from "../../runner/hands/ports/clerk.js";
import type { Branch, BranchMove, FileStart, IncomingCommit } from "../../runner/loop/context/branch.js";

/** The branch's port as a variable, with the clerk's objects. Knows only commits that were taken. */
export class MemoryBranch implements Branch {
  /** the ref's commit; set it from outside to play somebody else who moves it */
  at: CommitId;
  readonly moves: { readonly from: CommitId; readonly to: CommitId }[] = [];
  readonly shown: CommitId[] = [];
  readonly #clerk: Clerk;
  readonly #taken = new Map<CommitId, TreeId>();
  #left: CommitId;

  constructor(
    clerk: Clerk,
    readonly base: CommitId,
    tip: CommitId,
  ) {
    this.#clerk = clerk;
    this.at = tip;
    this.#left = tip;
  }

  async tip(): Promise<CommitId> {
    this.#mustStandAt(this.#left);
    return this.at;
  }

  treeOf(commit: CommitId, signal: AbortSignal): Promise<TreeId> {
    return this.#clerk.treeOf(commit, signal);
  }

  async take({ commit, tree, pack }: IncomingCommit): Promise<void> {
    for await (const _ of pack);
    this.#taken.set(commit, tree);
  }

  async move({ from, to }: BranchMove): Promise<void> {
    if (!this.#taken.has(to)) throw new Error(`${to} was never taken`);
    this.#mustStandAt(from);
    this.moves.push({ from, to });
    this.at = to;
    this.#left = to;
  }

  async show(commit: CommitId): Promise<void> {
    this.shown.push(commit);
  }

  async readFile(commit: CommitId, path: string, maxBytes: number, signal: AbortSignal): Promise<FileStart | null> {
    const whole = await this.#clerk.blob(await this.treeOf(commit, signal), path, 1024 * 1024, signal);
    return whole && { content: whole.subarray(0, maxBytes), size: whole.length };
  }

  #mustStandAt(expected: CommitId): void {
    if (this.at === expected) return;
    throw new TilthError("branch_moved", `was left at ${expected} and is now at ${this.at}`, "put it back");
  }
}
