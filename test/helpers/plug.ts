import { readFileSync } from "node:fs";
import { LogSoFar } from "../../runner/app/running/log-so-far.js";
import { type RunEnd, SessionRun } from "../../runner/app/running/session-run.js";
import { systemClock } from "../../runner/base/clock.js";
import { commitId, type HostPath } from "../../runner/base/ids.js";
import { SeedTests } from "../../runner/loop/context/seed-tests.js";
import { settledCommit } from "../../runner/reconcile/settled.js";
import { SessionLock } from "../../runner/session/lock/lock.js";
import { EventLog } from "../../runner/session/log/event-log.js";
import { eventSchema, type TilthEvent } from "../../runner/session/log/events.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Source } from "../../runner/source/preflight/preflight.js";
import { SessionBranch } from "../../runner/source/session-branch.js";
import { FakeHands } from "./fake-hands.js";
import { never } from "./git-repo.js";
import { loopSettings } from "./loop-settings.js";
import { StatelessModel, type TaskKind } from "./stateless-model.js";

/**
 * A session on hands of the host and a real source, which one process can leave at any point and another can take up.
 */
export interface Plugged {
  readonly source: Source;
  /** the folder in which the hands keep their repository */
  readonly folder: HostPath;
  readonly files: SessionFiles;
  readonly kinds: readonly TaskKind[];
}

/** Does what `runSession` and `resumeSession` do, on other hands. */
export async function workOn(plugged: Plugged, onEvent: (event: TilthEvent) => void = () => {}): Promise<RunEnd> {
  const { source, folder, files } = plugged;
  using lock = SessionLock.acquire(files.paths.lock);
  files.sweep();
  const checkpoint = files.loadCheckpoint();
  const hands = await FakeHands.open({ folder, worktree: files.paths.worktree });
  using log = EventLog.open(files.paths.events, (text) => text);
  log.onEvent(onEvent);
  if (lock.takenOver) log.append("lock_taken_over", lock.takenOver);
  const soFar = await LogSoFar.follow(log, files.paths.events);
  const { past } = soFar;
  const base = commitId(checkpoint.base_commit);
  const settled = await settledCommit(past, { source, id: files.id, base }, never);
  const branch = new SessionBranch(source, {
    id: files.id,
    base,
    last: settled?.sha ?? past.last ?? commitId(checkpoint.last_commit),
    worktree: files.paths.worktree,
    allowed: null,
  });
  return await new SessionRun({
    settings: loopSettings(files.paths.folder, {}),
    files,
    basis: { source, image: hands.image },
    hands,
    branch,
    model: new StatelessModel(plugged.kinds),
    log,
    seedTests: new SeedTests(files.loadPrd(), files.loadSeed()),
    soFar,
    resumption: checkpoint.status === "prepared" ? null : { past, settled },
    emptyWorktree: false,
    clock: systemClock,
    signal: never,
  }).toTheEnd();
}

/** Runs the session, and takes it up again as often as one of its tasks fails. */
export async function workToTheEnd(plugged: Plugged, onEvent?: (event: TilthEvent) => void): Promise<RunEnd> {
  for (let left = 5; ; left -= 1) {
    const end = await workOn(plugged, onEvent);
    if (end.stop.reason !== "no_case" || left === 0) return end;
  }
}

export function eventsOf(files: SessionFiles): readonly TilthEvent[] {
  const lines = readFileSync(files.paths.events, "utf8").trimEnd().split("\n");
  return lines.map((text) => eventSchema.parse(JSON.parse(text)));
}
