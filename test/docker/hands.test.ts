import { DockerWorld } from "../helpers/docker-world.js";
import { handsContract } from "../helpers/hands-contract.js";

handsContract("DockerHands", async () => {
  const world = await DockerWorld.open();
  return { hands: world.hands, worktree: world.worktree, close: () => world[Symbol.asyncDispose]() };
});
