import { RunClock, systemClock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import { commitId } from "../base/ids.js";
import { LogFile } from "../base/log.js";
import { version } from "../base/version.js";
import type { HandsOrigin } from "../hands/ports/provider.js";
import { SeedTests } from "../loop/context/seed-tests.js";
import { type Asker, openModelClient } from "../model/openai-client.js";
import { PricedModel } from "../model/port/priced-model.js";
import { WatchedModel } from "../model/port/watched-model.js";
import { ApisFile } from "../model/remembered/known-apis.js";
import { LimitsFile } from "../model/remembered/known-limits.js";
import { unresumable } from "../reconcile/resumable.js";
import { settledCommit } from "../reconcile/settled.js";
import { SessionLock } from "../session/lock/lock.js";
import { EventLog } from "../session/log/event-log.js";
import type { TilthEvent } from "../session/log/events.js";
import { SleepLosses } from "../session/log/hands-events.js";
import type { SessionFiles } from "../session/session-files.js";
import type { Checkpoint } from "../session/state/checkpoint.js";
import type { Usage } from "../session/summary/usage.js";
import type { ModelSettings } from "../settings/settings.js";
import { SessionBranch } from "../source/session-branch.js";
import { refuseMovedSource } from "../source/worktree/moved-source.js";
import { findBasis, remarksOn } from "./opening/basis.js";
import { maskerOf } from "./opening/known-secrets.js";
import { mendWorktree } from "./opening/mend-worktree.js";
import { knownEnvironments } from "./opening/open-environments.js";
import { handsOf } from "./opening/session-hands.js";
import { LogSoFar } from "./running/log-so-far.js";
import { remarkOtherModels, remarkUnknownCost } from "./running/model-remarks.js";
import { SessionEgress } from "./running/session-egress.js";
import { type RunEnd, SessionRun } from "./running/session-run.js";
import { settleAppend } from "./seeding/settle-append.js";

export interface RunOrder {
  readonly settings: ModelSettings;
  readonly files: SessionFiles;
  readonly trustSource: boolean;
  /** where the hands come from; the usual place unless given */
  readonly origin?: HandsOrigin;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly onEvent: (event: TilthEvent) => void;
  /**
   * called a few times a second while a streamed reply comes in, with its characters so far; the log does not have them
   */
  readonly onProgress?: (chars: number) => void;
  /** called once, before anything is asked, with what the session has used so far */
  readonly onUsedSoFar?: (used: Usage) => void;
  /** how long a container survives without a sign from the host; a minute by default */
  readonly leaseSeconds?: number;
}

/**
 * Works through a prepared session. Whatever is not as it must be before the first event is thrown as a TilthError, and
 * nothing has changed then; after that event every run ends with a `stop`.
 */
export function runSession(order: RunOrder): Promise<RunEnd> {
  return work(order, "run");
}

/** Continues a session that stopped or was killed, from what its branch shows as done; ends like `runSession`. */
export function resumeSession(order: RunOrder): Promise<RunEnd> {
  return work(order, "resume");
}

async function work(order: RunOrder, verb: "run" | "resume"): Promise<RunEnd> {
  const { settings, files } = order;
  const { endpoints } = settings;
  using lock = SessionLock.acquire(files.paths.lock);
  const { source } = verb === "run" ? preparedCheckpoint(files) : resumableCheckpoint(files);
  refuseMovedSource(files.id, source);
  const basis = await findBasis({ ...order, source });
  for (const remark of remarksOn(basis.source)) order.say(remark);
  const signal = AbortSignal.any([order.signal, lock.lost]);
  const mended = mendWorktree(files, basis.source, order.say);
  await using wayOut = SessionEgress.open(settings.egress);
  const losses = new SleepLosses();
  await using hands = handsOf(files, basis, { signal, wayOut, losses, ...leaseOf(order) });
  if (verb === "run") await settleAppend({ files, source: basis.source, hands, signal });
  const checkpoint = files.loadCheckpoint();
  const seedTests = new SeedTests(files.loadPrd(), files.loadSeed());
  const masker = maskerOf(settings);
  using log = EventLog.open(files.paths.events, (text) => masker.text(text));
  log.onEvent(order.onEvent);
  wayOut?.recordIn(log);
  losses.recordIn(log);
  if (settings.caps.maxCostUsd !== null) remarkUnknownCost(log, settings.home, order.say);
  remarkOtherModels(log, order.say);
  if (lock.takenOver) log.append("lock_taken_over", lock.takenOver);
  const soFar = await LogSoFar.follow(log, files.paths.events);
  order.onUsedSoFar?.(soFar.rollup.summary(null).usage);
  const { past } = soFar;
  const base = commitId(checkpoint.base_commit);
  const settled = await settledCommit(past, { source: basis.source, id: files.id, base }, signal);
  const branch = new SessionBranch(basis.source, {
    id: files.id,
    base,
    last: settled?.sha ?? past.last ?? commitId(checkpoint.last_commit),
    worktree: files.paths.worktree,
    allowed: null,
  });
  const environments = knownEnvironments(
    {
      ...{ basis, settings, files, hands, log, signal, say: order.say },
      ...{ base: branch.base, tip: () => branch.tip(signal) },
    },
    soFar.environments.choice,
  );
  await environments.goOn(soFar.environments);
  const clock = new RunClock(systemClock);
  const asker: Asker = {
    session: files.id,
    clock,
    known: new ApisFile(settings.home),
    limits: new LimitsFile(settings.home),
    sleepUncounted: clock.sleepUncounted,
    goOn: `tilth resume ${files.id}`,
  };
  const priced = new PricedModel(openModelClient(endpoints, settings, asker), settings);
  const model = new WatchedModel(priced, order.onProgress ?? (() => undefined));
  using diagnostics = new LogFile(files.paths.log, (text) => masker.text(text));
  diagnostics.log.info({ version, node: process.version, provider: basis.provider.facts, image: basis.image }, verb);
  const resumption = verb === "run" ? null : { past, settled };
  const session = { settings, files, basis, hands, branch, model, log, seedTests, soFar, resumption };
  const parts = { ...session, wayOut, environments, emptyWorktree: mended === "folder", clock, signal };
  const end = await new SessionRun(parts).toTheEnd();
  diagnostics.log.info({ stop: end.stop, ...(end.cause === null ? {} : { err: end.cause }) }, "stop");
  return end;
}

function leaseOf({ leaseSeconds }: RunOrder): { readonly leaseSeconds?: number } {
  return leaseSeconds === undefined ? {} : { leaseSeconds };
}

function resumableCheckpoint(files: SessionFiles): Checkpoint {
  const checkpoint = files.loadCheckpoint();
  const problem = unresumable(checkpoint, { hasTasks: files.hasPrd() });
  if (problem !== null) throw new TilthError("usage", `session ${files.id} ${problem.message}`, problem.hint);
  files.sweep();
  return checkpoint;
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
