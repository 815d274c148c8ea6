import { expect, test } from "vitest";
import type { WarmCheck } from "../../runner/hands/check-pool.js";
import { ContainerSuite } from "../../runner/hands/check-suite.js";
import { HandsLost } from "../../runner/hands/hands.js";
import { treeId } from "../../runner/support/ids.js";
import { never } from "../helpers/git-repo.js";

const of = { tree: treeId("a".repeat(40)), changed: ["pkg/a.py"], files: ["test_a.py", "test_b.py"] };

/** Containers of which so many are lost before one answers. */
function suite(losses: number, asleep: boolean) {
  let left = losses;
  const take = async () => {
    const container = { isLost: false };
    const ask = async () => {
      if (left-- <= 0) return { paths: ["test_a.py"] };
      container.isLost = true;
      throw new HandsLost("check", "gone", { asleep });
    };
    return { container, zygote: { ask }, [Symbol.asyncDispose]: async () => undefined } as unknown as WarmCheck;
  };
  return new ContainerSuite({ take, fresh: async () => undefined });
}

test("a container that is lost leaves the suite without an answer, and one that ended in a sleep is asked again", async () => {
  expect(await suite(1, false).touched(of, never)).toEqual(of.files);
  expect(await suite(3, true).touched(of, never)).toEqual(["test_a.py"]);
});
