import type { z } from "zod";
import { pinnedRules } from "../checks/ruff-args.js";
import { TilthError } from "../errors.js";
import type { TreeId } from "../support/ids.js";
import { RunnerRefusal } from "./channel.js";
import { lintWorkspace } from "./check-lint.js";
import { CheckPool, type WarmCheck } from "./check-pool.js";
import { judgeReport } from "./check-replies.js";
import { type PytestOutcome, runPytest } from "./check-run.js";
import type { StartAhead } from "./checks-ahead.js";
import { containerPaths } from "./container-paths.js";
import {
  type CheckReport,
  type CheckRequest,
  type Checks,
  HandsLost,
  type RuffReport,
  type StagedTest,
} from "./hands.js";
import type { StartCheckContainer } from "./zygote.js";

const freshMs = 120_000;
const writeMs = 30_000;
const lintMs = 120_000;
const attempts = 2;

/** Checks in containers of their own: one for each check, thrown away after it. */
export class ContainerChecks implements Checks, AsyncDisposable {
  readonly #pool: CheckPool;

  /** `env`: the whole environment of what runs in a check, as the worker has it */
  constructor(
    start: StartCheckContainer,
    private readonly env: Readonly<Record<string, string>>,
    startAhead?: StartAhead,
  ) {
    this.#pool = new CheckPool(start, env, startAhead);
  }

  prepare(): void {
    this.#pool.prepare();
  }

  /** A process that died without a report may have been killed for want of memory: it too gets a second container. */
  run(request: CheckRequest, signal: AbortSignal): Promise<CheckReport> {
    const died = ({ pytest, own }: CheckReport) => pytest?.died === true || own?.died === true;
    return this.#inContainer(signal, (check) => this.#judge(check, request, signal), died);
  }

  lintTree(tree: TreeId, ruffArgs: readonly string[], signal: AbortSignal): Promise<RuffReport> {
    return this.#inContainer(signal, async (check) => {
      await fresh(check, tree, signal);
      return this.#lint(check, ruffArgs, lintMs, signal);
    });
  }

  lintFiles(files: readonly StagedTest[], signal: AbortSignal): Promise<RuffReport> {
    return this.#inContainer(signal, async (check) => {
      for (const { path, source } of files) {
        await check.container.call("write", { path }, { signal, timeoutMs: writeMs, input: Buffer.from(source) });
      }
      return this.#lint(check, pinnedRules, lintMs, signal);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }

  async #inContainer<T>(
    signal: AbortSignal,
    act: (check: WarmCheck) => Promise<T>,
    died: (result: T) => boolean = () => false,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await using check = await this.#pool.take(signal);
        const result = await act(check);
        if (attempt >= attempts || !died(result)) return result;
      } catch (error) {
        if (attempt >= attempts || !(error instanceof HandsLost)) throw error;
      }
    }
  }

  async #judge(check: WarmCheck, request: CheckRequest, signal: AbortSignal): Promise<CheckReport> {
    const started = performance.now();
    const { expected, changes, notes } = await judged(check, request, signal);
    const report = { judgeFiles: changes, integrityNotes: notes, ruff: null, pytest: null, own: null };
    if (changes.some(({ allowed }) => !allowed)) return { ...report, ms: since(started) };

    await fresh(check, request.tree, signal);
    const left = () => Math.max(1, request.timeoutMs - since(started));
    const ruff = await this.#lint(check, request.ruffArgs, left(), signal);
    const staged = { files: request.staged.map(({ path }) => path), expected };
    const pytest = await runPytest(check.zygote, { ...staged, timeoutMs: left(), signal });
    const own = await ownTests(check, request, { timeoutMs: left, signal });
    const killed = [pytest, own].flatMap((outcome) => outcome?.killed ?? []);
    return {
      ...report,
      integrityNotes: [...notes, ...(killed.length > 0 ? [`left running by the tests: ${killed.join("; ")}`] : [])],
      ruff,
      pytest: pytest.report,
      own: own?.report ?? null,
      ms: since(started),
    };
  }

  #lint(check: WarmCheck, args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<RuffReport> {
    return lintWorkspace(check.container, check.zygote, { args, timeoutMs, env: this.env, signal });
  }
}

/** Answered before there is anything of the tree in the container. */
function judged(
  { zygote }: WarmCheck,
  { last, tree, staged, allStaged, taskText }: CheckRequest,
  signal: AbortSignal,
): Promise<z.infer<typeof judgeReport>> {
  const judging = new Set(staged.map(({ path }) => path));
  const input = { staged: allStaged.map((test) => ({ ...test, judging: judging.has(test.path) })), text: taskText };
  return zygote.ask({ payload: { do: "judge", repo: containerPaths.repo, last, tree }, input }, judgeReport, signal);
}

/** A process of their own, on a tree that the first run has not touched. */
async function ownTests(
  check: WarmCheck,
  { tree, added: files }: CheckRequest,
  { timeoutMs, signal }: { timeoutMs: () => number; signal: AbortSignal },
): Promise<PytestOutcome | null> {
  if (files.length === 0) return null;
  await fresh(check, tree, signal);
  return runPytest(check.zygote, { files, expected: [], timeoutMs: timeoutMs(), signal });
}

async function fresh({ container }: WarmCheck, tree: TreeId, signal: AbortSignal): Promise<void> {
  try {
    await container.call("fresh", { tree }, { signal, timeoutMs: freshMs });
  } catch (error) {
    if (!(error instanceof RunnerRefusal)) throw error;
    throw new TilthError(
      "infra",
      `tree ${tree} cannot be put into a check container: ${error.message}`,
      "raise TILTH_SANDBOX_MEMORY, or keep large files out of the repository",
      error,
    );
  }
}

function since(started: number): number {
  return Math.round(performance.now() - started);
}
