import type { CommitId } from "../../base/ids.js";
import { againAfterSleep } from "../../hands/ports/after-sleep.js";
import type { Clerk } from "../../hands/ports/clerk.js";
import { packBase, type Repository } from "../../source/git/base-pack.js";

export interface RepositoryNeeds {
  readonly base: CommitId;
  /** the newest commit that must be in the repository */
  readonly tip: CommitId;
}

/** Fills the clerk's repository from the source again: anybody may have removed it where it is kept. */
export async function fillRepository(
  clerk: Pick<Clerk, "open" | "takePack">,
  source: Repository,
  { base, tip, signal }: RepositoryNeeds & { readonly signal: AbortSignal },
): Promise<void> {
  await againAfterSleep(async () => {
    if (await clerk.open(tip, signal)) return;
    for (const commit of new Set([base, tip])) await clerk.takePack(packBase(source, commit, signal), commit, signal);
  });
}
