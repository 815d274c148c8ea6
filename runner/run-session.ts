import { TilthError } from "./errors.js";
import { findGround, remarksOn } from "./ground.js";
import { SeedTests } from "./loop/seed-tests.js";
import { maskerOf, openModelClient } from "./model/openai-client.js";
import type { Checkpoint } from "./session/checkpoint.js";
import { EventLog } from "./session/event-log.js";
import type { TilthEvent } from "./session/events.js";
import { SessionLock } from "./session/lock.js";
import type { SessionFiles } from "./session/session-files.js";
import { handsOf } from "./session-hands.js";
import { type RunEnd, SessionRun } from "./session-run.js";
import type { Settings } from "./settings.js";
import { SessionBranch } from "./source/session-branch.js";
import { systemClock } from "./support/clock.js";
import { commitId } from "./support/ids.js";
import { LogFile } from "./support/log.js";
import { version } from "./support/version.js";

export interface RunOrder {
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly trustSource: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly onEvent: (event: TilthEvent) => void;
}

/**
 * Works through a prepared session. What is not as it must be before the first event is a TilthError and has changed
 * nothing; from then on every end is a `stop`.
 */
export async function runSession(order: RunOrder): Promise<RunEnd> {
  const { settings, files } = order;
  const { endpoints } = settings;
  if (endpoints === null) throw new Error("a run needs endpoints");
  using lock = SessionLock.acquire(files.paths.lock);
  const checkpoint = preparedCheckpoint(files);
  const seedTests = new SeedTests(files.loadSeed());
  const ground = await findGround({ ...order, source: checkpoint.source });
  for (const remark of remarksOn(ground.source)) order.say(remark);
  const signal = AbortSignal.any([order.signal, lock.lost]);
  await using hands = handsOf(files, ground, settings, signal);
  const masker = maskerOf(endpoints);
  using log = EventLog.open(files.paths.events, (text) => masker.text(text));
  log.onEvent(order.onEvent);
  if (settings.caps.maxCostUsd !== null) warnOfUnknownCost(log, order.say);
  if (lock.takenOver) log.append("lock_taken_over", lock.takenOver);
  const branch = new SessionBranch(ground.source, {
    id: files.id,
    base: commitId(checkpoint.base_commit),
    last: commitId(checkpoint.last_commit),
    worktree: files.paths.worktree,
    allowed: null,
  });
  const model = openModelClient(endpoints, settings, systemClock);
  using diagnostics = new LogFile(files.paths.log, (text) => masker.text(text));
  diagnostics.log.info({ version, node: process.version, engine: ground.engine.facts, image: ground.image }, "run");
  const clock = systemClock;
  const parts = { settings, files, ground, hands, branch, model, log, seedTests, clock, signal };
  const end = await new SessionRun(parts).toTheEnd();
  diagnostics.log.info({ stop: end.stop, ...(end.cause === null ? {} : { err: end.cause }) }, "stop");
  return end;
}

/** The cap counts what the provider reports, and one that reports nothing never meets it. */
function warnOfUnknownCost(log: EventLog, say: (line: string) => void): void {
  const stop = log.onEvent((event) => {
    if (event.type !== "model_call" || event.payload.cost !== null) return;
    say(`${event.payload.model} reports no cost, so TILTH_MAX_COST_USD cannot see what it spends`);
    stop();
  });
}

function preparedCheckpoint(files: SessionFiles): Checkpoint {
  files.loadPrd();
  const checkpoint = files.loadCheckpoint();
  if (checkpoint.status === "prepared") return checkpoint;
  throw new TilthError(
    "usage",
    `session ${files.id} is not prepared but ${checkpoint.status}`,
    `tilth resume ${files.id}`,
  );
}
