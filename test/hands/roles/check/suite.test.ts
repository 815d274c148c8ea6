import { expect, test } from "vitest";
import { Interrupted } from "../../../../runner/base/errors.js";
import { treeId } from "../../../../runner/base/ids.js";
import { HandsLost } from "../../../../runner/hands/ports/hands.js";
import type { WarmCheck } from "../../../../runner/hands/roles/check/containers/pool.js";
import { ContainerSuite } from "../../../../runner/hands/roles/check/suite.js";
import { never } from "../../../helpers/git-repo.js";

const ended = { exit: 1, signal: null, ms: 1, timed_out: false, killed: [], report_cut: false };
const silent = { output_head: "", output_tail: "", omitted: 0, report: Buffer.from("{}\n{}") };

const of = { tree: treeId("a".repeat(40)), changed: ["pkg/a.py"], files: ["test_a.py", "test_b.py"] };

/** Containers, of which so many are lost before one answers. */
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
  return new ContainerSuite({ tree: null, take, putBack: async () => undefined, fresh: async () => undefined });
}

test("a suite gets no answer when its container is lost, and is asked again when it ended in a sleep", async () => {
  expect(await suite(1, false).touched(of, never)).toEqual(of.files);
  expect(await suite(3, true).touched(of, never)).toEqual(["test_a.py"]);
});

/** Runs the suite on trees that are named by letters, ends it, and tells whether the container was put back. */
async function afterRuns(letters: string, breaksOff = false): Promise<"put back" | "ended"> {
  let became: "put back" | "ended" = "ended";
  const run = async () => {
    if (breaksOff) throw new Interrupted();
    return { ...ended, ...silent };
  };
  const take = async () =>
    ({
      container: { isLost: false },
      zygote: { run },
      [Symbol.asyncDispose]: async () => undefined,
    }) as unknown as WarmCheck;
  const putBack = async () => {
    became = "put back";
  };
  const tree = treeId("a".repeat(40));
  {
    await using suite = new ContainerSuite({ tree, take, putBack, fresh: async () => undefined });
    for (const letter of letters)
      await suite
        .run({ tree: treeId(letter.repeat(40)), files: [], leftOut: [], budgetMs: 1_000 }, never)
        .catch(() => undefined);
  }
  return became;
}

test("a container goes back for its tree, unless another tree ran in it or a run may still be going on", async () => {
  expect(await afterRuns("a")).toBe("put back");
  expect(await afterRuns("aa")).toBe("put back");
  expect(await afterRuns("b")).toBe("ended");
  expect(await afterRuns("ab")).toBe("ended");
  expect(await afterRuns("ba")).toBe("ended");
  expect(await afterRuns("a", true)).toBe("ended");
});
