import type { Ground } from "./ground.js";
import type { Hands } from "./hands/hands.js";
import { worktreeGroup } from "./hands/identity.js";
import { type Seed, seedCommitMessage } from "./seed/seed.js";
import { EventLog } from "./session/event-log.js";
import type { SeedMeta } from "./session/seed-meta.js";
import type { SessionFiles } from "./session/session-files.js";
import { summarise } from "./session/summary.js";
import { packBase } from "./source/base-pack.js";
import { SessionBranch } from "./source/session-branch.js";
import { addWorktree } from "./source/worktree.js";
import { systemClock } from "./support/clock.js";
import type { CommitId } from "./support/ids.js";
import { version } from "./support/version.js";

export interface Planting {
  readonly ground: Ground;
  readonly files: SessionFiles;
  readonly hands: Hands;
  readonly seed: Seed;
  readonly meta: SeedMeta;
  readonly signal: AbortSignal;
}

/** From an accepted seed to a prepared session. The flip of the checkpoint at the end is the commit point of it all. */
export async function plantSeed(planting: Planting): Promise<void> {
  const { files, ground, seed, meta } = planting;
  using log = EventLog.open(files.paths.events, (text) => text);
  log.append("session_start", {
    phase: "seed",
    session: files.id,
    source: ground.source.workTree,
    base_commit: ground.source.head,
    version,
    image: ground.image.id,
    author: `${ground.source.author.name} <${ground.source.author.email}> (${ground.source.author.from})`,
  });
  const commit = await commitTests(planting, log);
  files.savePrd(seed.prd);
  files.saveSeedMeta(meta);
  files.saveSeed(new Map(seed.tests.map((test) => [test.name, test.source])));
  log.append("session_prepared", {
    prd_entries: seed.prd.length,
    test_files: seed.tests.length,
    interviewer_model: meta.interviewer_model,
    tokens_used: meta.tokens.total,
  });
  files.saveSummary(await summarise(files.paths.events, null));
  files.updateCheckpoint({ status: "prepared", last_commit: commit, image: ground.image.id });
}

/** The tests as the one commit of the seed, on the branch and in the worktree. */
async function commitTests(planting: Planting, log: EventLog): Promise<CommitId> {
  const { ground, files, hands, seed, signal } = planting;
  const { source } = ground;
  const { clerk } = hands;
  const { worktree } = files.paths;
  await addWorktree(source, { id: files.id, path: worktree, base: source.head, group: worktreeGroup() }, signal);
  if (!(await clerk.open(source.head, signal)))
    await clerk.takePack(packBase(source, source.head, signal), source.head, signal);
  const tests = seed.tests.map(({ path, source: text }) => ({ path, content: Buffer.from(text) }));
  const tree = await clerk.treeWith(await clerk.treeOf(source.head, signal), tests, signal);
  const commit = await clerk.commit(
    {
      tree,
      parent: source.head,
      message: seedCommitMessage(seed.prd.length, seed.tests.length),
      author: source.author,
      committer: { name: "tilth", email: "tilth@localhost" },
      date: systemClock.now(),
    },
    signal,
  );
  const branch = new SessionBranch(source, {
    id: files.id,
    base: source.head,
    last: source.head,
    worktree,
    allowed: null,
  });
  await branch.take({ commit, tree, parent: source.head, pack: clerk.pack(commit, source.head, signal) }, signal);
  await branch.move(source.head, commit, signal);
  await clerk.materialise(commit, signal);
  await branch.show(commit, signal);
  log.append("seed_committed", { sha: commit, tree });
  return commit;
}
