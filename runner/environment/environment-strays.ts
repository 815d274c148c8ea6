import type { Engine } from "../hands/docker/engine/engine.js";
import { listVolumes, removeVolume } from "../hands/docker/environment-volume.js";
import { EnvironmentStore } from "./environment-store.js";

/** Removes volumes of builds that were cut short: no record names them, and the process that made them is dead. */
export async function removeStrays(
  engine: Engine,
  home: string,
  signal: AbortSignal,
): Promise<{ readonly removed: readonly string[]; readonly inUse: readonly string[] }> {
  const volumes = { engine, home, signal };
  const recorded = [...new EnvironmentStore(home).all().values()].map(({ built }) => built?.volume);
  const [removed, inUse]: [string[], string[]] = [[], []];
  for (const { name, isSettled } of await listVolumes(volumes))
    if (isSettled && !recorded.includes(name)) ((await removeVolume(volumes, name)) ? removed : inUse).push(name);
  return { removed, inUse };
}
