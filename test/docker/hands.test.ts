import { expect, test } from "vitest";
import { DockerWorld } from "../helpers/docker-world.js";
import { handsContract } from "../helpers/hands-contract.js";

handsContract("DockerHands", async () => {
  const world = await DockerWorld.open();
  return { hands: world.hands, worktree: world.worktree, close: () => world[Symbol.asyncDispose]() };
});

test("an edit is linted where a check would lint, and nowhere else", async () => {
  await using world = await DockerWorld.open();
  const { work } = world.hands;
  const { signal } = new AbortController();
  await work.start(signal);
  const config = Buffer.from('exclude = ["gen"]\n');
  await work.writeFile({ path: "ruff.toml", content: config, lint: null }, signal);
  const linted = async (path: string) => {
    const lint = { args: [], timeoutMs: 30_000 };
    const written = await work.writeFile({ path, content: Buffer.from("import os\n"), lint }, signal);
    return written.ok ? written.lint : written.problem;
  };
  expect(await linted("app.py")).toContain("F401");
  expect(await linted("gen/app.py")).toBe("");
});
