import { afterAll } from "vitest";
import { ContainerChecks } from "../../runner/hands/check.js";
import { CheckWorld, env } from "./check-world.js";

/** Checks that the tests of a file share, with the world their trees are made in; both end with the file. */
export async function sharedChecks(): Promise<{ readonly world: CheckWorld; readonly checks: ContainerChecks }> {
  const world = await CheckWorld.open();
  const checks = new ContainerChecks(world.share, env);
  afterAll(async () => {
    await checks[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  return { world, checks };
}
