import { TilthError } from "./errors.js";
import type { Ground } from "./ground.js";
import type { SessionRow } from "./session/listing.js";
import { SessionLock } from "./session/lock.js";
import type { SessionStore } from "./session/store.js";
import { handsOf } from "./session-hands.js";
import type { Settings } from "./settings.js";
import { branchTip } from "./source/branch-ref.js";
import { unmergedCount } from "./source/history.js";
import { uproot } from "./uproot.js";

export type InFlightPolicy = "refuse" | "discard" | "keep";

/** Sessions of the source that are not all done; what died while it was being prepared counts for nothing. */
export class InFlight {
  readonly #rows: readonly SessionRow[];
  readonly #doomed: readonly SessionRow[];

  /** Fails with TilthError `usage` when there are some and the policy is to refuse. */
  constructor(store: SessionStore, source: string, policy: InFlightPolicy) {
    const rows = store.ofSource(source).filter((row) => row.status !== null && row.status !== "all_done");
    const dead = rows.filter((row) => row.status === "preparing" && row.heldBy === null);
    this.#rows = rows.filter((row) => !dead.includes(row));
    if (policy === "refuse" && this.#rows.length > 0) throw standInTheWay(this.#rows);
    this.#doomed = policy === "discard" ? rows : dead;
  }

  /** Removes those that are to go; one that is held by a process stops it before anything is touched (TilthError `busy`). */
  async discard(from: DiscardFrom): Promise<void> {
    const locks = this.#doomed.map((row) => SessionLock.acquire(from.store.open(row.id).paths.lock));
    try {
      for (const row of this.#doomed) await discardOne(row, from);
    } finally {
      for (const lock of locks) lock[Symbol.dispose]();
    }
  }
}

export interface DiscardFrom {
  readonly store: SessionStore;
  readonly ground: Ground;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

async function discardOne(row: SessionRow, { store, ground, settings, signal, say }: DiscardFrom): Promise<void> {
  const { source } = ground;
  const files = store.open(row.id);
  const tip = await branchTip(source, row.id, signal);
  const unmerged = tip === null ? 0 : await unmergedCount(source, row.id, signal);
  await using hands = handsOf(files, ground, settings, signal);
  await uproot({ source, store, files, hands }, signal);
  const lost = unmerged === 0 ? "" : `, ${unmerged} commit${unmerged === 1 ? "" : "s"} of it merged nowhere`;
  say(`discarded session ${row.id}${tip === null ? "" : `; its branch was at ${tip}${lost}`}`);
}

function standInTheWay(rows: readonly SessionRow[]): TilthError {
  const list = rows.map((row) => `    ${row.id}  ${row.lastStop ?? row.status}  ${row.label}`).join("\n");
  return new TilthError(
    "usage",
    `this source has a session in flight:\n${list}`,
    "add --force to discard it, or --keep-existing to start alongside",
  );
}
