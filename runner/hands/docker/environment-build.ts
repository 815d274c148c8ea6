import type { EnvironmentAnswer } from "../ports/environment.js";
import type { EnvironmentOrder } from "../ports/provider.js";
import { buildEnvironment } from "../roles/build/build.js";
import { makeVolume, removeVolume } from "./environment-volume.js";
import { type ContainersOf, isolationOf, RoleStarts, specContext } from "./role-starts.js";

/** Builds an environment into a volume of its own on a Docker engine. */
export async function buildInVolume(order: EnvironmentOrder & ContainersOf): Promise<EnvironmentAnswer> {
  const { engine, settings, signal, key } = order;
  const volumes = { engine, home: settings.home, signal };
  const made = { context: specContext(order), isolation: isolationOf(order) };
  return await buildEnvironment(order, {
    starts: new RoleStarts(engine, made, Promise.resolve()),
    make: () => makeVolume(volumes, key),
    remove: (volume) => removeVolume({ ...volumes, signal: new AbortController().signal }, volume),
    diskBytes: settings.sandbox.diskBytes,
  });
}
