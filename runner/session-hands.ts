import type { Ground } from "./ground.js";
import { openHands } from "./hands/docker-hands.js";
import type { Hands } from "./hands/hands.js";
import { reapDead, removeSessionContainers } from "./hands/reap.js";
import type { SessionFiles } from "./session/session-files.js";
import type { Settings } from "./settings.js";
import { clearOwnLocks } from "./source/locks.js";

/** The hands of one session; their first container waits until what dead processes left is gone. For who holds its lock. */
export function handsOf(
  files: SessionFiles,
  { engine, image, source }: Ground,
  settings: Settings,
  signal: AbortSignal,
): Hands {
  const { worktree } = files.paths;
  const { home } = settings;
  const cleared = Promise.all([
    removeSessionContainers(engine, { session: files.id, home }, signal),
    reapDead(engine, home, { signal }),
  ]);
  clearOwnLocks(source, files.id, worktree);
  return openHands({ engine, image, settings, session: files.id, worktree, cleared, signal });
}
