import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeHands } from "../helpers/fake-hands.js";
import { handsContract } from "../helpers/hands-contract.js";

handsContract("FakeHands", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tilth-fake-"));
  const hands = await FakeHands.open({ folder });
  return { hands, worktree: hands.worktree, close: () => rm(folder, { recursive: true, force: true }) };
});
