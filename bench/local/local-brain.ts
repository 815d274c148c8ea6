import { findBasis } from "../../runner/app/opening/basis.js";
import { LogSoFar } from "../../runner/app/running/log-so-far.js";
import { SessionRun } from "../../runner/app/running/session-run.js";
import { systemClock } from "../../runner/base/clock.js";
import { commitId, hostPath } from "../../runner/base/ids.js";
import type { Hands } from "../../runner/hands/ports/hands.js";
import { type RunEnd, type SessionFiles, SessionStore } from "../../runner/index.js";
import { SeedTests } from "../../runner/loop/context/seed-tests.js";
import { openModelClient } from "../../runner/model/openai-client.js";
import { readSeedDir } from "../../runner/seed/seed-folder.js";
import { checkSeed } from "../../runner/seed/sink.js";
import { SessionLock } from "../../runner/session/lock/lock.js";
import { EventLog } from "../../runner/session/log/event-log.js";
import { handWrittenMeta } from "../../runner/session/state/seed-meta.js";
import type { Endpoints } from "../../runner/settings/endpoints.js";
import { SessionBranch } from "../../runner/source/session-branch.js";
import { plantSeed } from "../../test/helpers/plant-seed.js";
import type { Bench } from "../line.js";
import { LocalHands } from "./local-hands.js";

interface LocalSession {
  readonly files: SessionFiles;
  readonly hands: LocalHands;
}

/** Does what `stageSeed` does, with hands on the host. */
export async function stageLocally(bench: Bench, from: string, seedFolder: string, bin: string): Promise<LocalSession> {
  const { settings, signal } = bench;
  const basis = await findBasis({ settings, source: from, trustSource: false, signal });
  const folder = readSeedDir(seedFolder);
  const answer = checkSeed({ ...folder, highestInBase: 0, allowGaps: true });
  if (!answer.ok) throw new Error(answer.problem);
  const store = new SessionStore(hostPath(settings.home));
  const files = store.create({ source: basis.source.workTree, baseCommit: basis.source.head });
  const hands = LocalHands.open(bench.image, bench.folder, files.paths.worktree, bin);
  const meta = handWrittenMeta(answer.seed.notes, systemClock.now());
  await plantSeed({ basis, files, hands, seed: answer.seed, meta, signal });
  return { files, hands };
}

/** Does what `runSession` does: the same brain with other hands. */
export async function runLocally(bench: Bench, session: LocalSession, endpoints: Endpoints): Promise<RunEnd> {
  const { signal } = bench;
  const { files } = session;
  const settings = { ...bench.settings, endpoints };
  const hands: Hands = session.hands;
  using _lock = SessionLock.acquire(files.paths.lock);
  const checkpoint = files.loadCheckpoint();
  const seedTests = new SeedTests(files.loadPrd(), files.loadSeed());
  const basis = await findBasis({ settings, source: checkpoint.source, trustSource: false, signal });
  using log = EventLog.open(files.paths.events, (text) => text);
  const branch = new SessionBranch(basis.source, {
    id: files.id,
    base: commitId(checkpoint.base_commit),
    last: commitId(checkpoint.last_commit),
    worktree: files.paths.worktree,
    allowed: null,
  });
  const model = openModelClient(endpoints, settings, { session: files.id, clock: systemClock });
  const soFar = await LogSoFar.follow(log, files.paths.events);
  const brain = { settings, files, basis, hands, branch, model, log, seedTests };
  const parts = { ...brain, soFar, resumption: null, emptyWorktree: false, clock: systemClock, signal };
  return await new SessionRun(parts).toTheEnd();
}
