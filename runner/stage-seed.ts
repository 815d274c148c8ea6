import { TilthError } from "./errors.js";
import { findEngine, findSource, type Ground, remarksOn } from "./ground.js";
import { InFlight, type InFlightPolicy } from "./in-flight.js";
import { plantSeed } from "./plant-seed.js";
import { lintSeed } from "./seed/lint.js";
import { highestTestNumber, type Seed } from "./seed/seed.js";
import { readSeedDir } from "./seed/seed-folder.js";
import { checkSeed } from "./seed/sink.js";
import { SessionLock } from "./session/lock.js";
import { handWrittenMeta } from "./session/seed-meta.js";
import { SessionStore } from "./session/store.js";
import { handsOf } from "./session-hands.js";
import type { Settings } from "./settings.js";
import { measureBase } from "./source/base-pack.js";
import { listPaths } from "./source/list-paths.js";
import type { Source } from "./source/preflight.js";
import { systemClock } from "./support/clock.js";
import { hostPath, type SessionId } from "./support/ids.js";
import { uproot } from "./uproot.js";

export interface StageOrder {
  readonly settings: Settings;
  readonly source: string;
  /** the folder of a hand-written seed */
  readonly from: string;
  readonly inFlight: InFlightPolicy;
  readonly trustSource: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Makes a prepared session of a hand-written seed; when anything goes wrong, nothing is left of it. */
export async function stageSeed(order: StageOrder): Promise<{ readonly id: SessionId; readonly tasks: number }> {
  const folder = readSeedDir(order.from);
  const source = await findSource(order);
  const store = new SessionStore(hostPath(order.settings.home));
  const inFlight = new InFlight(store, source.workTree, order.inFlight);
  const seed = await acceptable(folder, source, order);
  await measureBase(source, source.head, order.signal);
  const ground = { source, ...(await findEngine(order)) };
  for (const remark of remarksOn(source)) order.say(remark);
  return await stage({ order, ground, store, inFlight, seed });
}

async function acceptable(folder: ReturnType<typeof readSeedDir>, source: Source, order: StageOrder): Promise<Seed> {
  const paths = await listPaths(source, { commit: source.head, folder: "tests/" }, order.signal);
  const answer = checkSeed({ ...folder, highestInBase: highestTestNumber(paths), allowGaps: true });
  if (!answer.ok) throw notTaken(answer.problem, order);
  return answer.seed;
}

function notTaken(problem: string, { from }: StageOrder): TilthError {
  return new TilthError("usage", problem, `put the seed in ${from} right, then try again`);
}

interface Staging {
  readonly order: StageOrder;
  readonly ground: Ground;
  readonly store: SessionStore;
  readonly inFlight: InFlight;
  readonly seed: Seed;
}

async function stage(staging: Staging): Promise<{ id: SessionId; tasks: number }> {
  const { order, ground, store, seed } = staging;
  const { settings, signal } = order;
  const { source } = ground;
  const files = store.create({ source: source.workTree, baseCommit: source.head });
  using _lock = SessionLock.acquire(files.paths.lock);
  await using hands = handsOf(files, ground, settings, signal);
  try {
    const problem = await lintSeed(seed, hands.checks, signal);
    if (problem !== null) throw notTaken(problem, order);
    await staging.inFlight.discard({ ...staging, ...order });
    const meta = handWrittenMeta(seed.notes, systemClock.now());
    await plantSeed({ ground, files, hands, seed, meta, signal });
  } catch (error) {
    await uproot({ source, store, files, hands }, AbortSignal.timeout(undoMs));
    throw error;
  }
  return { id: files.id, tasks: seed.prd.length };
}

const undoMs = 30_000;
