import { systemClock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import { hostPath, type SessionId } from "../base/ids.js";
import type { HandsOrigin } from "../hands/ports/provider.js";
import { recordReceipts } from "../loop/context/receipt.js";
import { highestTestNumber, type Seed } from "../seed/seed.js";
import { readSeedDir } from "../seed/seed-folder.js";
import { checkSeed } from "../seed/sink.js";
import { SessionLock } from "../session/lock/lock.js";
import { EventLog } from "../session/log/event-log.js";
import { SleepLosses } from "../session/log/hands-events.js";
import { handWrittenMeta } from "../session/state/seed-meta.js";
import { SessionStore } from "../session/store.js";
import type { Settings } from "../settings/settings.js";
import { measureBase } from "../source/git/base-pack.js";
import { leftOutOf } from "../source/git/left-out.js";
import { listTests } from "../source/git/list-paths.js";
import type { Source } from "../source/preflight/preflight.js";
import { type Basis, findHands, findSource, remarksOn } from "./opening/basis.js";
import { maskerOf } from "./opening/known-secrets.js";
import { newEnvironments } from "./opening/open-environments.js";
import { handsOf, lossAsInfra } from "./opening/session-hands.js";
import { InFlight, type InFlightPolicy } from "./removal/in-flight.js";
import { undo } from "./removal/remove-session.js";
import { proveSeed } from "./seeding/prove-seed.js";
import { announcePreparation, recordSeed } from "./seeding/record-seed.js";
import { SeedPlacement } from "./seeding/seed-placement.js";

export interface StageOrder {
  readonly settings: Settings;
  readonly source: string;
  /** the folder of a hand-written seed */
  readonly from: string;
  readonly inFlight: InFlightPolicy;
  readonly trustSource: boolean;
  /** where the hands come from; the usual place unless given */
  readonly origin?: HandsOrigin;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Creates a prepared session from a hand-written seed; if anything goes wrong, nothing is left of it. */
export async function stageSeed(order: StageOrder): Promise<{ readonly id: SessionId; readonly tasks: number }> {
  const folder = readSeedDir(order.from);
  const source = await findSource(order);
  const store = new SessionStore(hostPath(order.settings.home));
  const inFlight = new InFlight(store, source.workTree, order.inFlight);
  const seed = await acceptable(folder, source, order);
  const size = await measureBase(source, source.head, order.signal);
  const basis = { source, ...(await findHands(order)) };
  for (const remark of [...remarksOn(source), ...(await leftOutOf(source, size, order.signal))]) order.say(remark);
  return await stage({ order, basis, store, inFlight, seed });
}

async function acceptable(folder: ReturnType<typeof readSeedDir>, source: Source, order: StageOrder): Promise<Seed> {
  const paths = await listTests(source, source.head, order.signal);
  const answer = checkSeed({ ...folder, highestInBase: highestTestNumber(paths), allowGaps: true });
  if (!answer.ok) throw notTaken(answer.problem, order);
  return answer.seed;
}

function notTaken(problem: string, { from }: StageOrder): TilthError {
  return new TilthError("usage", problem, `correct the seed in ${from}, then try again`);
}

interface Staging {
  readonly order: StageOrder;
  readonly basis: Basis;
  readonly store: SessionStore;
  readonly inFlight: InFlight;
  readonly seed: Seed;
}

async function stage(staging: Staging): Promise<{ id: SessionId; tasks: number }> {
  const { order, basis, store, seed } = staging;
  const { settings, signal } = order;
  const { source } = basis;
  const files = store.create({ source: source.workTree, baseCommit: source.head });
  using _lock = SessionLock.acquire(files.paths.lock);
  const losses = new SleepLosses();
  await using hands = handsOf(files, basis, { signal, losses });
  try {
    const masker = maskerOf(settings);
    using log = EventLog.open(files.paths.events, (text) => masker.text(text));
    losses.recordIn(log);
    announcePreparation({ phase: "seed", basis, files, base: source.head }, log);
    using _receipts = recordReceipts(hands, log);
    const environments = await newEnvironments({
      ...{ basis, settings, files, hands, log, signal },
      ...{ base: source.head, tip: async () => source.head, say: order.say },
    });
    await environments.stage();
    const placement = new SeedPlacement({ basis, files, hands, base: source.head, parent: source.head, signal });
    const proof = {
      placement,
      hands,
      log,
      checkTimeoutMs: settings.checkTimeoutSeconds * 1000,
      suite: { settings: settings.suite, environment: environments.key },
      say: order.say,
      signal,
    };
    const proven = await proveSeed(seed, proof);
    if (!proven.ok) throw notTaken(proven.problem, order);
    // other sessions are discarded only for a seed that is clean and whose tests are red
    await staging.inFlight.discard({ ...staging, ...order });
    const commit = await placement.commit(seed, proven.tree, log);
    const meta = handWrittenMeta(seed.notes, systemClock.now());
    await recordSeed({ files, seed, meta, commit, image: basis.image.id }, log);
  } catch (error) {
    const left = await undo({ source, store, files, hands });
    if (left !== null)
      order.say(
        `not all of session ${files.id} could be removed; the next seed for this source removes the rest: ${left}`,
      );
    throw lossAsInfra(error);
  }
  return { id: files.id, tasks: seed.prd.length };
}
