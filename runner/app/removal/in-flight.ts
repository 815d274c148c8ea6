import { TilthError } from "../../base/errors.js";
import { isFinished, type SessionRow, saysAllDone } from "../../session/listing.js";
import { SessionLock } from "../../session/lock/lock.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { SessionStore } from "../../session/store.js";
import type { Settings } from "../../settings/settings.js";
import { shellWord } from "../../source/git/shell-word.js";
import type { Basis } from "../opening/basis.js";
import { discardSession } from "./discard-session.js";
import { branchText, planRemoval, type Removal, type RemovalRequest, restoreCommand } from "./removal.js";

export type InFlightPolicy = "refuse" | "discard" | "keep";

/** Returns the command for another interview after a failed one; existing sessions that were kept are kept again. */
export function startAgain(source: string, policy: InFlightPolicy): string {
  return `tilth prep-feature ${shellWord(source)} ${policy === "keep" ? "--keep-existing" : "--force"}`;
}

/** Sessions of the source that are not all done. One that died while it was being prepared does not count. */
export class InFlight {
  readonly #rows: readonly SessionRow[];
  readonly #toDiscard: readonly SessionRow[];

  /**
   * Throws TilthError `usage` if there are such sessions and the policy is to refuse, `busy` if one to be discarded is
   * held.
   */
  constructor(store: SessionStore, source: string, policy: InFlightPolicy) {
    const rows = unfinished(store, source);
    const dead = rows.filter(diedPreparing);
    this.#rows = rows.filter((row) => !diedPreparing(row));
    if (policy === "refuse" && this.#rows.length > 0) throw standInTheWay(this.#rows);
    this.#toDiscard = policy === "discard" ? rows : dead;
    for (const { id } of this.#toDiscard) SessionLock.acquire(store.open(id).paths.lock)[Symbol.dispose]();
  }

  /**
   * Removes the sessions to be discarded. If a process holds one, TilthError `busy` is thrown before anything is
   * touched. Sessions that finished or vanished in the meantime are skipped.
   */
  async discard(from: DiscardFrom): Promise<void> {
    const here = new Set(from.store.list().map(({ id }) => id));
    const going = this.#toDiscard.filter(({ id }) => here.has(id));
    const locks: SessionLock[] = [];
    try {
      for (const { id } of going) locks.push(SessionLock.acquire(from.store.open(id).paths.lock));
      const unfinished = going.filter(({ id }) => !saysAllDone(from.store.row(id)));
      await discardAll(
        unfinished.map(({ id }) => from.store.open(id)),
        from,
      );
    } finally {
      for (const lock of locks) lock[Symbol.dispose]();
    }
  }
}

/** Lists the sessions that block another session of the source, newest first. */
export function sessionsInFlight(store: SessionStore, source: string): readonly SessionRow[] {
  return unfinished(store, source).filter((row) => !diedPreparing(row));
}

function unfinished(store: SessionStore, source: string): readonly SessionRow[] {
  return store.ofSource(source).filter((row) => row.status !== null && !isFinished(row));
}

function diedPreparing({ status, heldBy }: SessionRow): boolean {
  return status === "preparing" && heldBy === null;
}

export interface DiscardFrom {
  readonly store: SessionStore;
  readonly basis: Basis;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Plans every removal before the first session goes. */
async function discardAll(sessions: readonly SessionFiles[], from: DiscardFrom): Promise<void> {
  const removals: Removal[] = [];
  for (const files of sessions) removals.push(await planRemoval(requestFor(files, from), from.signal));
  for (const one of removals) {
    const undo = restoreCommand(one);
    if (undo) from.say(`session ${one.files.id} is being discarded; to bring its branch back: ${undo}`);
    await discardSession(one, from.signal);
    from.say(`discarded session ${one.files.id}${branchText(one)}`);
  }
}

function requestFor(files: SessionFiles, { store, settings, basis }: DiscardFrom): RemovalRequest {
  return { files, store, settings, provider: basis.provider, image: async () => basis.image };
}

function standInTheWay(rows: readonly SessionRow[]): TilthError {
  const list = rows.map((row) => `    ${row.id}  ${row.lastStop ?? row.status}  ${row.label}`).join("\n");
  return new TilthError(
    "usage",
    `this source has a session in flight:\n${list}`,
    "add --force to discard it, or --keep-existing to start alongside",
  );
}
