import type { TreeId } from "../base/ids.js";
import { redOf } from "../checks/red.js";
import type { Checks, RedReport } from "../hands/ports/checks/checks.js";
import { HandsLost } from "../hands/ports/hands.js";
import type { Seed } from "./seed.js";
import { stagingProblem } from "./staging-problem.js";
import { stagingRemarks } from "./staging-remarks.js";

export interface RedCheck {
  /** the base with the seed's tests in it */
  readonly tree: TreeId;
  readonly checks: Pick<Checks, "red">;
  readonly timeoutMs: number;
  /** true if the project's own tests run on that tree next */
  readonly thenSuite: boolean;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export type SeedTried =
  | { readonly ok: false; readonly problem: string }
  | {
      readonly ok: true;
      /** results of all files for the event red_check */
      readonly tests: Record<string, string>;
      readonly opened: string[];
      readonly remarks: readonly string[];
    };

const sayEveryMs = 3_000;

/** Checks that each of a seed's tests fails on the base, as an acceptance test must. */
export async function checkRed({ tests }: Seed, check: RedCheck): Promise<SeedTried> {
  const report = await tried(tests, check);
  if (report === null)
    return { ok: false, problem: "a container in which the acceptance tests ran was lost, and so was the next" };
  const problem = stagingProblem(report);
  if (problem !== null) return { ok: false, problem };
  const files = redOf(report);
  return {
    ok: true,
    tests: Object.fromEntries(files.flatMap((file) => Object.entries(file.tests))),
    opened: [...new Set(files.flatMap((file) => file.opened))].sort(),
    remarks: stagingRemarks(report),
  };
}

/** Null if it lost its container twice, which the tests that ran there must have caused. */
async function tried(
  run: Seed["tests"],
  { tree, checks, timeoutMs, thenSuite, say, signal }: RedCheck,
): Promise<RedReport | null> {
  let done = 0;
  const progress = () => say(`checking that each acceptance test fails first: ${done} of ${run.length}`);
  const timer = setInterval(progress, sayEveryMs);
  const onRun = (count: number) => {
    done = count;
  };
  try {
    return await checks.red({ tree, run, read: [], timeoutMs, onRun, thenSuite }, signal);
  } catch (error) {
    if (error instanceof HandsLost) return null;
    throw error;
  } finally {
    clearInterval(timer);
  }
}
