import type { Basis } from "../../runner/app/opening/basis.js";
import { announcePreparation, recordSeed } from "../../runner/app/seeding/record-seed.js";
import { SeedPlacement } from "../../runner/app/seeding/seed-placement.js";
import type { Hands } from "../../runner/hands/ports/hands.js";
import type { Seed } from "../../runner/seed/seed.js";
import { EventLog } from "../../runner/session/log/event-log.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { SeedMeta } from "../../runner/session/state/seed-meta.js";

export interface Planting {
  readonly basis: Basis;
  readonly files: SessionFiles;
  readonly hands: Hands;
  readonly seed: Seed;
  readonly meta: SeedMeta;
  readonly signal: AbortSignal;
}

/** Prepares a session of a seed without trying the seed out first. */
export async function plantSeed({ basis, files, hands, seed, meta, signal }: Planting): Promise<void> {
  const base = basis.source.head;
  using log = EventLog.open(files.paths.events, (text) => text);
  announcePreparation({ phase: "seed", basis, files, base }, log);
  const placement = new SeedPlacement({ basis, files, hands, base, parent: base, signal });
  const commit = await placement.commit(seed, await placement.treeWith(seed), log);
  await recordSeed({ files, seed, meta, commit, image: basis.image.id }, log);
}
