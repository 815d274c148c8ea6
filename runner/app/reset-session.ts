import { usualOrigin } from "../hands/provider.js";
import { SessionLock } from "../session/lock/lock.js";
import type { SessionFiles } from "../session/session-files.js";
import type { SessionStore } from "../session/store.js";
import type { Settings } from "../settings/settings.js";
import { builtImage } from "./opening/basis.js";
import { discardSession } from "./removal/discard-session.js";
import { planRemoval, type Removal } from "./removal/removal.js";

export interface ResetOrder {
  readonly settings: Settings;
  readonly store: SessionStore;
  readonly files: SessionFiles;
  readonly signal: AbortSignal;
  /** asked last, when nothing can stand in the way any more; whatever it prints comes before anything is removed */
  readonly agreed: (removal: Removal) => Promise<boolean>;
}

/**
 * Removes one session. Returns null, with nothing removed, if `agreed` says no. TilthError `usage` or `busy`: nothing
 * removed.
 */
export async function resetSession(order: ResetOrder): Promise<Removal | null> {
  const { settings, store, files, agreed } = order;
  using lock = SessionLock.acquire(files.paths.lock);
  const signal = AbortSignal.any([order.signal, lock.lost]);
  const provider = await usualOrigin.connect(settings, signal);
  const image = () => builtImage(provider, signal);
  const removal = await planRemoval({ store, files, settings, provider, image }, signal);
  if (!(await agreed(removal))) return null;
  signal.throwIfAborted();
  await discardSession(removal, signal);
  return removal;
}
