import { afterAll } from "vitest";
import { checkPython } from "../../runner/hands/ports/container-paths.js";
import { ContainerChecks } from "../../runner/hands/roles/check/checks.js";
import { CheckWorld } from "./check-world.js";

/** Checks that the tests of a file share, with the world their trees are made in; both end with the file. */
export async function sharedChecks(
  environment: string | null = null,
): Promise<{ readonly world: CheckWorld; readonly checks: ContainerChecks }> {
  const world = await CheckWorld.open(environment);
  const checks = checksIn(world);
  afterAll(async () => {
    await checks[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  return { world, checks };
}

/** Checks in the one container that the world shares. */
export function checksIn(world: CheckWorld): ContainerChecks {
  return new ContainerChecks(world.share, world.env, { python: checkPython(world.hasEnvironment) });
}
