import { hostPath } from "../base/ids.js";
import { EnvironmentStore } from "../environment/environment-store.js";
import { removeStrays } from "../environment/environment-strays.js";
import { usualOrigin } from "../hands/provider.js";
import { isFinished } from "../session/listing.js";
import { EnvironmentLocks } from "../session/state/environment-locks.js";
import { SessionStore } from "../session/store.js";
import type { Settings } from "../settings/settings.js";

export interface ListedEnvironment {
  /** the name under which it is kept */
  readonly name: string;
  readonly packages: number;
  readonly taken: readonly string[];
  readonly python: string;
  readonly pytest: string;
  readonly created: Date;
  /** unfinished sessions that use it */
  readonly sessions: readonly string[];
  /** names of its records in the home */
  readonly records: readonly string[];
}

export interface PruneReport {
  readonly removed: readonly string[];
  /** those that a container still uses */
  readonly inUse: readonly string[];
  readonly kept: number;
}

/** Lists the environments this home knows of, newest first. */
export function listEnvironments(settings: Settings): readonly ListedEnvironment[] {
  const users = usersOf(settings);
  const found = new Map<string, ListedEnvironment>();
  for (const [id, { key, built, packages, taken, python, pytest, created_at }] of new EnvironmentStore(
    settings.home,
  ).all()) {
    if (built === null) continue;
    const before = found.get(built.id);
    const sessions = [...new Set([...(before?.sessions ?? []), ...(users.get(key) ?? [])])];
    const records = [...(before?.records ?? []), id];
    const facts = { packages: packages.length, taken, python, pytest, created: new Date(created_at) };
    found.set(built.id, { name: built.id, ...facts, sessions, records });
  }
  return [...found.values()].sort((a, b) => b.created.getTime() - a.created.getTime());
}

/** Removes the environments that no unfinished session uses, and what interrupted builds left behind. */
export async function pruneEnvironments(settings: Settings, signal: AbortSignal): Promise<PruneReport> {
  const { home } = settings;
  const { environments } = await usualOrigin.connect(settings, signal);
  const store = new EnvironmentStore(home);
  const listed = listEnvironments(settings);
  const unused = listed.filter(({ sessions }) => sessions.length === 0);
  const [removed, inUse]: [string[], string[]] = [[], []];
  for (const { name, records } of unused) {
    // records go first, so that no other process finds an environment that is about to go
    for (const id of records) store.remove(id);
    ((await environments.remove(name, signal)) ? removed : inUse).push(name);
  }
  const strays = await removeStrays(environments, home, signal);
  return {
    removed: [...removed, ...strays.removed],
    inUse: [...new Set([...inUse, ...strays.inUse])],
    kept: listed.length - unused.length,
  };
}

function usersOf(settings: Settings): ReadonlyMap<string, readonly string[]> {
  const store = new SessionStore(hostPath(settings.home));
  const users = new Map<string, string[]>();
  for (const row of store.list()) {
    if (isFinished(row)) continue;
    for (const key of new EnvironmentLocks(store.open(row.id).paths).keys())
      users.set(key, [...(users.get(key) ?? []), row.id]);
  }
  return users;
}
