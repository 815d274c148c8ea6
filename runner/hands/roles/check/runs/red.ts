import type { z } from "zod";
import { checkRequests } from "../../../pipe/wire/check.js";
import type { RedReport, RedRequest } from "../../../ports/checks/checks.js";
import type { PytestReport } from "../../../ports/checks/pytest.js";
import type { StagedFacts, StagedTest } from "../../../ports/checks/staged.js";
import { containerPaths } from "../../../ports/container-paths.js";
import type { WarmCheck } from "../containers/pool.js";
import { runPytest } from "./test-run.js";

interface RedRun {
  readonly signal: AbortSignal;
  /** puts the tree into /workspace, with nothing left of earlier runs */
  readonly fresh: () => Promise<void>;
}

/** Reads the facts before the tree is there; then runs each file by itself, so that none can help another. */
export async function redReport(check: WarmCheck, request: RedRequest, run: RedRun): Promise<RedReport> {
  const { facts, declared } = await staged(check, request, run.signal);
  const runs: { path: string; pytest: PytestReport }[] = [];
  for (const [at, test] of request.run.entries()) {
    await run.fresh();
    const pytest = await runAlone(check, test, { expected: facts[at], request, run });
    runs.push({ path: test.path, pytest });
    request.onRun?.(runs.length);
    if (pytest.timedOut) break;
  }
  return { facts, runs, declared };
}

async function staged({ zygote }: WarmCheck, { tree, run, read }: RedRequest, signal: AbortSignal) {
  const payload = { repo: containerPaths.repo, tree };
  const input = { files: [...run, ...read] };
  const { facts, declared } = await zygote.ask(checkRequests.staged, { payload, input }, signal);
  return { facts: facts.map(factsOf), declared };
}

function factsOf({ tests, ...facts }: z.infer<typeof checkRequests.staged.report>["facts"][number]): StagedFacts {
  return {
    ...facts,
    tests: tests.map(({ keep_green, always_left_out, left_out_ids, surely_asserts, ...test }) => ({
      ...test,
      keepGreen: keep_green,
      alwaysLeftOut: always_left_out,
      leftOutIds: left_out_ids,
      surelyAsserts: surely_asserts,
    })),
  };
}

async function runAlone(
  { zygote }: WarmCheck,
  test: StagedTest,
  { expected, request, run }: { expected: StagedFacts | undefined; request: RedRequest; run: RedRun },
): Promise<PytestReport> {
  const { report } = await runPytest(zygote, {
    files: [test.path],
    expected: (expected?.tests ?? []).map(({ id }) => ({ id, many: true })),
    staged: [test],
    watch: true,
    timeoutMs: request.timeoutMs,
    signal: run.signal,
  });
  return report;
}
