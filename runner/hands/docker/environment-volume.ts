import { randomBytes } from "node:crypto";
import type { KeptEnvironment } from "../ports/provider.js";
import { labels } from "./container/labels.js";
import { isDead, isOurs, ownerOf, parseOwner } from "./container/owner.js";
import type { Engine } from "./engine/engine.js";
import { statusOf } from "./engine/engine-errors.js";

export interface EnvironmentVolumes {
  readonly engine: Engine;
  readonly home: string;
  readonly signal: AbortSignal;
}

export async function makeVolume({ engine, home, signal }: EnvironmentVolumes, key: string): Promise<string> {
  const name = `tilth-env-${key.slice(0, 12)}-${randomBytes(4).toString("hex")}`;
  const own = { [labels.environment]: key, [labels.owner]: JSON.stringify(ownerOf(home)) };
  await engine.must("make the environment's volume", signal, (docker) =>
    docker.createVolume({ Name: name, Labels: own }),
  );
  return name;
}

export async function hasVolume({ engine, signal }: EnvironmentVolumes, name: string): Promise<boolean> {
  return await engine.must("look up the environment's volume", signal, async (docker) => {
    try {
      const { Labels } = await docker.getVolume(name).inspect();
      return Labels?.[labels.environment] !== undefined;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw error;
    }
  });
}

/** Returns false when a container still uses it. */
export async function removeVolume({ engine, signal }: EnvironmentVolumes, name: string): Promise<boolean> {
  return await engine.must("remove the environment's volume", signal, async (docker) => {
    try {
      await docker.getVolume(name).remove();
    } catch (error) {
      if (statusOf(error) === 409) return false;
      if (statusOf(error) !== 404) throw error;
    }
    return true;
  });
}

/** Lists the volumes of this home. */
export async function listVolumes({ engine, home, signal }: EnvironmentVolumes): Promise<readonly KeptEnvironment[]> {
  const own = ownerOf(home);
  const { Volumes: volumes } = await engine.must("list volumes", signal, (docker) =>
    docker.listVolumes({ filters: { label: [labels.environment] } }),
  );
  return (volumes ?? []).flatMap(({ Name, Labels }) => {
    const owner = parseOwner(Labels?.[labels.owner]);
    const key = Labels?.[labels.environment];
    if (owner === null || key === undefined || !isOurs(owner, own)) return [];
    return [{ name: Name, key, isSettled: isDead(owner, own) }];
  });
}
