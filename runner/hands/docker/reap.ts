import { existsSync } from "node:fs";
import { join } from "node:path";
import type Docker from "dockerode";
import { TilthError } from "../../base/errors.js";
import { asSessionId, type SessionId } from "../../base/ids.js";
import type { ProcessTable } from "../../disk/processes.js";
import { removeAndSeeGone } from "./container/container.js";
import { labels, repoVolumeOf } from "./container/labels.js";
import { isDead, isOurs, type Owner, ownerOf, parseOwner } from "./container/owner.js";
import type { Engine } from "./engine/engine.js";
import { statusOf } from "./engine/engine-errors.js";

const removals = 3;

interface LabelledObject {
  readonly Id: string;
  readonly Labels: { readonly [label: string]: string };
}

/** Removes only containers that dead processes of this home left, and volumes of its sessions that are gone. */
export async function reapDead(engine: Engine, home: string, options: ReapOptions): Promise<number> {
  const own = ownerOf(home, options.processes);
  const condemned = (owner: Owner) => isOurs(owner, own) && isDead(owner, own, options.processes);
  const removed = await removeWhere(engine, labels.owner, options.signal, condemned);
  await removeOrphanVolumes(engine, { home, condemned, signal: options.signal });
  return removed;
}

interface Orphans {
  readonly home: string;
  readonly condemned: (owner: Owner) => boolean;
  readonly signal: AbortSignal;
}

async function removeOrphanVolumes(engine: Engine, { home, condemned, signal }: Orphans): Promise<void> {
  const { Volumes: volumes } = await engine.must("list volumes", signal, (docker) =>
    docker.listVolumes({ filters: { label: [labels.owner] } }),
  );
  for (const { Labels } of volumes ?? []) {
    const session = asSessionId(Labels?.[labels.session] ?? "");
    const owner = parseOwner(Labels?.[labels.owner]);
    if (session === null || owner === null || !condemned(owner)) continue;
    if (!existsSync(join(home, "sessions", session))) await removeSessionVolume(engine, { session, home }, signal);
  }
}

export interface ReapOptions {
  readonly signal: AbortSignal;
  readonly processes?: ProcessTable;
}

/** Removes all containers of a session, started or not; only for whoever has just taken the session's lock. */
export async function removeSessionContainers(engine: Engine, of: SessionOfHome, signal: AbortSignal): Promise<number> {
  const own = ownerOf(of.home);
  return removeWhere(engine, `${labels.session}=${of.session}`, signal, (owner) => owner.home === own.home);
}

/** Removes what this process itself made, at its end, and nothing of a process that may hold the session by now. */
export async function removeOwnContainers(engine: Engine, of: SessionOfHome, signal: AbortSignal): Promise<number> {
  const own = JSON.stringify(ownerOf(of.home));
  return removeWhere(engine, `${labels.session}=${of.session}`, signal, (owner) => JSON.stringify(owner) === own);
}

/**
 * Removes the session's repository volume, once no container of the session is left. Done when the engine lists none.
 */
export async function removeSessionVolume(engine: Engine, of: SessionOfHome, signal: AbortSignal): Promise<void> {
  const own = ownerOf(of.home);
  for (let attempt = 1; ; attempt += 1) {
    const { Volumes: volumes } = await engine.must("list volumes", signal, (docker) =>
      docker.listVolumes({ filters: { label: [`${labels.session}=${of.session}`] } }),
    );
    const name = repoVolumeOf(of.session);
    const ours = (volumes ?? []).some(
      ({ Name, Labels }) => Name === name && parseOwner(Labels?.[labels.owner])?.home === own.home,
    );
    if (!ours) return;
    if (attempt > removals)
      throw new TilthError("infra", `the engine keeps the volume ${name}`, `docker volume rm ${name}`);
    await engine.must("remove the repository volume", signal, (docker) => removeVolume(docker, name));
  }
}

async function removeVolume(docker: Docker, name: string): Promise<void> {
  try {
    await docker.getVolume(name).remove();
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

export interface SessionOfHome {
  readonly session: SessionId;
  readonly home: string;
}

async function removeWhere(
  engine: Engine,
  label: string,
  signal: AbortSignal,
  condemned: (owner: Owner) => boolean,
): Promise<number> {
  const listed: readonly LabelledObject[] = await engine.must("list containers", signal, (docker) =>
    docker.listContainers({ all: true, filters: { label: [label] } }),
  );
  const doomed = listed.filter((container) => {
    const owner = parseOwner(container.Labels[labels.owner]);
    return owner !== null && condemned(owner);
  });
  await Promise.all(doomed.map((container) => removeAndSeeGone(engine, container.Id)));
  return doomed.length;
}
