import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitId } from "../../runner/base/ids.js";
import { checksContract, suiteContract } from "../helpers/contracts/checks-contract.js";
import { clerkContract } from "../helpers/contracts/clerk-contract.js";
import { handsContract } from "../helpers/contracts/hands-contract.js";
import { treeContract } from "../helpers/contracts/tree-contract.js";
import { workContract } from "../helpers/contracts/work-contract.js";
import { FakeHands } from "../helpers/fake-hands.js";
import { MemoryHands } from "../helpers/loop-hands.js";
import type { Files } from "../helpers/sources.js";

handsContract(
  "FakeHands",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tilth-fake-"));
    const hands = await FakeHands.open({ folder });
    return { hands, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  },
  { trees: treeContract, clerk: clerkContract, work: workContract, checks: checksContract },
);

const nobody = { name: "nobody", email: "nobody@example.org" };

function baseOf({ clerk }: MemoryHands) {
  return (files: Files) => {
    const texts = Object.entries(files).map(
      ([path, content]) => [path, Buffer.from(content).toString("utf8")] as const,
    );
    const [parent, tree] = [commitId("0".repeat(40)), clerk.addTree(new Map(texts))];
    return clerk.commit({ tree, parent, message: "base", author: nobody, committer: nobody, date: new Date(0) });
  };
}

handsContract(
  "MemoryHands",
  async () => {
    const hands = new MemoryHands();
    return { hands, fill: baseOf(hands), [Symbol.asyncDispose]: async () => undefined };
  },
  { trees: treeContract, checks: checksContract, suite: suiteContract },
);
