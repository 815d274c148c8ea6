import { expect, test } from "vitest";
import { usualOrigin } from "../../runner/hands/provider.js";
import { pinnedRules } from "../../runner/hands/roles/ruff-rules.js";
import { everyPart } from "../helpers/contracts/every-part.js";
import { handsContract } from "../helpers/contracts/hands-contract.js";
import { openedHands, openedReading } from "../helpers/contracts/opened.js";
import { providerContract } from "../helpers/contracts/provider-contract.js";
import { readingContract } from "../helpers/contracts/reading-contract.js";
import { sandboxContract } from "../helpers/contracts/sandbox-contract.js";
import { containers, dockerProvider } from "../helpers/docker-contracts.js";
import { DockerWorld } from "../helpers/docker-world.js";

sandboxContract("a container", containers);
handsContract("hands of containers", () => openedHands(usualOrigin), everyPart);
readingContract("a source in a container", (files) => openedReading(usualOrigin, files));
providerContract("DockerProvider", dockerProvider);

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
