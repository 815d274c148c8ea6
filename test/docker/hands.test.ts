import { expect, test } from "vitest";
import { pinnedRules } from "../../runner/hands/roles/ruff-rules.js";
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
    const lint = { rules: { ...pinnedRules, args: [] }, timeoutMs: 30_000 };
    const written = await work.writeFile({ path, content: Buffer.from("import os\n"), lint }, signal);
    return written.ok ? written.lint : written.problem;
  };
  expect(await linted("app.py")).toContain("F401");
  expect(await linted("gen/app.py")).toBe("");

  const mending = Buffer.from("fix = true\nfix-only = true\nunsafe-fixes = true\n");
  await work.writeFile({ path: "ruff.toml", content: mending, lint: null }, signal);
  expect(await linted("app.py")).toContain("F401");
  expect(await work.readFile({ path: "app.py", offset: 1, limit: 9, maxBytes: 99 }, signal)).toMatchObject({
    content: Buffer.from("import os\n"),
  });
  await work.bash("ruff check app.py", 30_000, signal);
  expect(await work.readFile({ path: "app.py", offset: 1, limit: 9, maxBytes: 99 }, signal)).toMatchObject({ size: 0 });
});
