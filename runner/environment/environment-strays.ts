import type { KeptEnvironments } from "../hands/ports/provider.js";
import { EnvironmentStore } from "./environment-store.js";

/** Removes what builds that were cut short left: no record names them, and the process that made them is dead. */
export async function removeStrays(
  kept: KeptEnvironments,
  home: string,
  signal: AbortSignal,
): Promise<{ readonly removed: readonly string[]; readonly inUse: readonly string[] }> {
  const recorded = [...new EnvironmentStore(home).all().values()].map(({ built }) => built?.id);
  const [removed, inUse]: [string[], string[]] = [[], []];
  for (const { name, isSettled } of await kept.list(signal))
    if (isSettled && !recorded.includes(name)) ((await kept.remove(name, signal)) ? removed : inUse).push(name);
  return { removed, inUse };
}
