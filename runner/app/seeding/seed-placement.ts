import { systemClock } from "../../base/clock.js";
import type { CommitId, TreeId } from "../../base/ids.js";
import { lazily } from "../../base/lazily.js";
import { ownIdentity } from "../../base/own-identity.js";
import { againAfterSleep } from "../../hands/ports/after-sleep.js";
import type { Hands } from "../../hands/ports/hands.js";
import { worktreeGroup } from "../../hands/ports/identity.js";
import { type Seed, seedCommitMessage } from "../../seed/seed.js";
import type { EventSink } from "../../session/log/events.js";
import type { SessionFiles } from "../../session/session-files.js";
import { SessionBranch } from "../../source/session-branch.js";
import { addWorktree } from "../../source/worktree/worktree.js";
import type { Basis } from "../opening/basis.js";
import { fillRepository } from "../opening/fill-repository.js";

export interface PlacementParts {
  readonly basis: Pick<Basis, "source">;
  readonly files: SessionFiles;
  readonly hands: Hands;
  readonly base: CommitId;
  /** the commit the seed goes on top of: the base, or the tip of the session's branch */
  readonly parent: CommitId;
  readonly signal: AbortSignal;
}

/** Puts a seed's tests first into a tree, to be tried, then as one commit into branch and worktree. */
export class SeedPlacement {
  readonly #parts: PlacementParts;
  readonly #parentTree: () => Promise<TreeId>;

  constructor(parts: PlacementParts) {
    this.#parts = parts;
    this.#parentTree = lazily(() => this.#open());
  }

  async treeWith({ tests }: Seed): Promise<TreeId> {
    const { hands, signal } = this.#parts;
    const added = tests.map(({ path, source }) => ({ path, content: Buffer.from(source) }));
    return hands.clerk.treeWith(await this.#parentTree(), added, signal);
  }

  /** The commit is logged before the branch moves to it. */
  async commit(seed: Seed, tree: TreeId, log: EventSink): Promise<CommitId> {
    const { basis, files, hands, base, parent, signal } = this.#parts;
    const { clerk } = hands;
    const commit = await clerk.commit(
      {
        tree,
        parent,
        message: seedCommitMessage(seed.prd.length, seed.tests.length),
        author: basis.source.author,
        committer: ownIdentity,
        date: systemClock.now(),
      },
      signal,
    );
    const { worktree } = files.paths;
    const branch = new SessionBranch(basis.source, { id: files.id, base, last: parent, worktree, allowed: null });
    await againAfterSleep(() =>
      branch.take({ commit, tree, parent, pack: clerk.pack(commit, parent, signal) }, signal),
    );
    log.append("seed_committed", { sha: commit, tree });
    await branch.move({ from: parent, to: commit, why: "seed" }, signal);
    await clerk.materialise(commit, signal);
    await branch.show(commit, signal);
    return commit;
  }

  async #open(): Promise<TreeId> {
    const { basis, files, hands, base, parent, signal } = this.#parts;
    const { source } = basis;
    if (parent === base)
      await addWorktree(source, { id: files.id, path: files.paths.worktree, base, group: worktreeGroup() }, signal);
    await fillRepository(hands.clerk, source, { base, tip: parent, signal });
    return hands.clerk.treeOf(parent, signal);
  }
}
