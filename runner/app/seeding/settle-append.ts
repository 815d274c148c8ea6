import { type CommitId, commitId } from "../../base/ids.js";
import type { Hands } from "../../hands/ports/hands.js";
import { taskOfTest, testName } from "../../seed/seed.js";
import { EventLog } from "../../session/log/event-log.js";
import { readEvents } from "../../session/log/event-reader.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Source } from "../../source/preflight/preflight.js";
import { branchTip } from "../../source/refs/branch-ref.js";
import { clearOwnLocks } from "../../source/refs/locks.js";
import { SessionBranch } from "../../source/session-branch.js";
import { fillRepository } from "../opening/fill-repository.js";
import { closeAppend } from "./record-seed.js";

export interface Settling {
  readonly files: SessionFiles;
  readonly source: Source;
  readonly hands: Hands;
  readonly signal: AbortSignal;
}

/**
 * Settles an interview that was cut short while adding tasks: takes it back if prd.json lacks the tasks, finishes it if
 * they are there. The caller must hold the lock of a prepared session.
 */
export async function settleAppend(settling: Settling): Promise<void> {
  const { files, source, signal } = settling;
  files.sweep();
  // a git process that was broken off on a busy machine may not have removed its own locks
  clearOwnLocks(source, files.id, files.paths.worktree);
  const { planted, prepared, tasks, isTold } = await seedsOf(files);
  const strays = strayTests(files);
  const last = commitId(files.loadCheckpoint().last_commit);
  const moved = planted !== null && planted !== last;
  if (strays.length > 0) {
    const isThere = moved && (await branchTip(source, files.id, signal)) === planted;
    return takeBack(settling, { strays, prepared, from: isThere ? planted : null });
  }
  const added = files.loadPrd().length - tasks;
  if (moved && (isTold || added > 0)) await finish(files, planted, added);
}

interface Seeds {
  /** the newest seed commit */
  readonly planted: CommitId | null;
  /** true if the log records that seed as taken */
  readonly isTold: boolean;
  /** number of seeds the log records as taken, and below it the number of their tasks */
  readonly prepared: number;
  readonly tasks: number;
}

async function seedsOf(files: SessionFiles): Promise<Seeds> {
  let seeds: Seeds = { planted: null, isTold: false, prepared: 0, tasks: 0 };
  for await (const { type, payload } of readEvents(files.paths.events)) {
    if (type === "seed_committed") seeds = { ...seeds, planted: commitId(payload.sha), isTold: false };
    if (type === "session_prepared")
      seeds = { ...seeds, isTold: true, prepared: seeds.prepared + 1, tasks: seeds.tasks + payload.prd_entries };
  }
  return seeds;
}

function strayTests(files: SessionFiles): readonly string[] {
  const ids = new Set(files.loadPrd().map((task) => task.id));
  return files.seedNames().filter((name) => testName.test(name) && !ids.has(taskOfTest(name)));
}

interface Leftover {
  readonly strays: readonly string[];
  readonly prepared: number;
  /** the commit to move the branch back from; null if it never moved */
  readonly from: CommitId | null;
}

/** Stray tests go last: as long as some are left, this all runs again. */
async function takeBack(settling: Settling, { strays, prepared, from }: Leftover): Promise<void> {
  const { files } = settling;
  if (from !== null) await moveBack(settling, from);
  const meta = files.loadSeedMeta();
  if (meta.appended) files.saveSeedMeta({ ...meta, appended: meta.appended.slice(0, prepared - 1) });
  files.dropSeed(strays);
}

async function moveBack({ files, source, hands, signal }: Settling, from: CommitId): Promise<void> {
  const checkpoint = files.loadCheckpoint();
  const [base, tip] = [commitId(checkpoint.base_commit), commitId(checkpoint.last_commit)];
  const { worktree } = files.paths;
  const branch = new SessionBranch(source, { id: files.id, base, last: from, worktree, allowed: null });
  await fillRepository(hands.clerk, source, { base, tip, signal });
  await hands.clerk.materialise(tip, signal);
  await branch.move({ from, to: tip, why: "seed taken back" }, signal);
  await branch.show(tip, signal);
}

async function finish(files: SessionFiles, commit: CommitId, added: number): Promise<void> {
  using log = EventLog.open(files.paths.events, (text) => text);
  const record = files.loadSeedMeta().appended?.at(-1);
  if (!record) throw new Error(`${files.paths.seedMeta} knows of no interview that added tasks`);
  await closeAppend({ files, record, commit, added }, log);
}
