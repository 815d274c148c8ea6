import type { z } from "zod";
import { awakeMs } from "../../../base/awake.js";
import { TilthError } from "../../../base/errors.js";
import { type TreeId, treeId } from "../../../base/ids.js";
import { forges } from "../../../checks/scan.js";
import { ResidentRefusal } from "../../pipe/channel-errors.js";
import { perform } from "../../pipe/perform.js";
import { checkRequests } from "../../pipe/wire/check.js";
import { operations } from "../../pipe/wire/operations.js";
import { againAfterSleep } from "../../ports/after-sleep.js";
import type {
  CheckReport,
  CheckRequest,
  Checks,
  RedReport,
  RedRequest,
  RewrittenFile,
} from "../../ports/checks/checks.js";
import type { CounterReport, CounterRequest } from "../../ports/checks/counter.js";
import type { GroundChange } from "../../ports/checks/pytest.js";
import type { RuffReport, RuffRules } from "../../ports/checks/ruff.js";
import type { StagedTest } from "../../ports/checks/staged.js";
import type { SuiteBench } from "../../ports/checks/suite.js";
import { containerPaths } from "../../ports/container-paths.js";
import { HandsLost } from "../../ports/hands.js";
import { pinnedRules } from "../ruff-rules.js";
import { ownTests } from "./added-tests.js";
import type { StartAhead } from "./ahead.js";
import { counterCheck } from "./counter.js";
import { type LintRun, lintWorkspace, olderFindings } from "./lint.js";
import { type OnlyTree, ParkingPlace } from "./parking-place.js";
import { CheckPool, type WarmCheck } from "./pool.js";
import { redReport } from "./red.js";
import { askForRules } from "./rules.js";
import { rewrittenFiles } from "./same.js";
import { ContainerSuite } from "./suite.js";
import { nothingReported, runPytest } from "./test-run.js";
import type { StartCheckSandbox } from "./zygote.js";

const freshMs = 120_000;
const writeMs = 30_000;
const lintMs = 120_000;
/** git knows this tree even when the repository does not hold it */
const emptyTree = treeId("4b825dc642cb6eb9a060e54bf8d69288fbee4904");

export interface CheckExtras {
  readonly startAhead?: StartAhead;
  /** the Python that checks run with */
  readonly python?: string;
  /** called for each container that ended in a sleep; its check is repeated */
  readonly lostAsleep?: (loss: HandsLost) => void;
}

/** Runs each check in a container of its own, which is thrown away after it. */
export class ContainerChecks implements Checks, AsyncDisposable {
  readonly #pool: CheckPool;
  readonly #parking = new ParkingPlace();
  readonly #rules = new Map<TreeId, Promise<RuffRules>>();
  /** duration of the tests for the tree that was checked last */
  #real: { readonly tree: TreeId; readonly ms: number } | null = null;

  readonly #lostAsleep: (loss: HandsLost) => void;

  /** `env` is the whole environment of programs in a check, the same as the worker's */
  constructor(
    start: StartCheckSandbox,
    private readonly env: Readonly<Record<string, string>>,
    { startAhead, python, lostAsleep = () => undefined }: CheckExtras = {},
  ) {
    this.#pool = new CheckPool(start, env, startAhead, python);
    this.#lostAsleep = lostAsleep;
  }

  prepare(): void {
    if (!this.#parking.hasClean) this.#pool.prepare();
  }

  /** Repeats a check in a second container when its process died without a report: it may have run out of memory. */
  async run(request: CheckRequest, signal: AbortSignal): Promise<CheckReport> {
    const died = ({ pytest, own }: CheckReport) => pytest?.died === true || own?.died === true;
    const keep = ({ pytest, ownBefore }: CheckReport): KeptContainer => {
      // refused for its content before any of it ran
      if (pytest === null) return { ran: null };
      if (pytest.died) return null;
      this.#real = { tree: request.tree, ms: pytest.ms };
      // after failures, tests ran on the last accepted tree as well
      return ownBefore === null ? { ran: request.tree } : null;
    };
    const rules = await this.ruffRules(request.since.base, signal);
    return this.#inContainer(signal, (check) => this.#judge(check, request, rules, signal), { died, keep });
  }

  async red(request: RedRequest, signal: AbortSignal): Promise<RedReport> {
    const died = ({ runs }: RedReport) => runs.some(({ pytest }) => pytest.died);
    const keep = (report: RedReport): KeptContainer =>
      request.thenSuite && !died(report) ? { ran: request.tree } : null;
    const act = (check: WarmCheck) =>
      redReport(check, request, { signal, fresh: () => fresh(check, request.tree, signal) });
    try {
      return await this.#inContainer(signal, act, { after: request.tree, died, keep });
    } catch (error) {
      if (!(error instanceof HandsLost) || request.run.length === 0) throw error;
      // running a file kills its container; the facts from its source can still be told
      const known = await this.red({ ...request, run: [], read: [...request.run, ...request.read] }, signal);
      return { ...known, runs: request.run.map(({ path }) => ({ path, pytest: nothingReported })) };
    }
  }

  async counter(request: CounterRequest, signal: AbortSignal): Promise<CounterReport> {
    let current = await this.#parking.takeOf(request.tree);
    const lost = async () => {
      const check = current;
      current = null;
      await check?.[Symbol.asyncDispose]();
    };
    const container = async () => {
      current ??= await this.#take(signal);
      return current;
    };
    const freshly = (check: WarmCheck) => fresh(check, request.tree, signal);
    const realMs = this.#real?.tree === request.tree ? this.#real.ms : null;
    const place = { container, lost, lostAsleep: this.#lostAsleep, fresh: freshly, realMs };
    try {
      const report = await counterCheck(request, place, signal);
      if (current !== null && report.caught.length === 0) {
        await this.#parking.put(current, request.tree);
        current = null;
      }
      return report;
    } finally {
      await lost();
    }
  }

  suite(tree: TreeId | null = null): SuiteBench {
    return new ContainerSuite({
      tree,
      take: (signal) => this.#take(signal, tree),
      putBack: (check) => this.#parking.put(check, tree),
      fresh: (check, { tree }, signal) => fresh(check, tree, signal),
    });
  }

  ruffRules(base: TreeId, signal: AbortSignal): Promise<RuffRules> {
    const known = this.#rules.get(base);
    if (known) return known;
    const asked = this.#lintOnly(signal, (check) => {
      const run = { base, timeoutMs: lintMs, env: this.env, signal };
      return askForRules(check, { ...run, fresh: (tree) => fresh(check, tree, signal) });
    });
    this.#rules.set(base, asked);
    asked.catch(() => this.#rules.delete(base));
    return asked;
  }

  lintFiles(files: readonly StagedTest[], signal: AbortSignal): Promise<RuffReport> {
    const options = { signal, timeoutMs: writeMs };
    return this.#lintOnly(signal, async (check) => {
      for (const { path, source } of files)
        await perform(
          check.container,
          operations.write,
          { path, lint: null },
          { ...options, input: Buffer.from(source) },
        );
      return lintWorkspace(check, { rules: pinnedRules, timeoutMs: lintMs, env: this.env, signal });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parking[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
  }

  /** Takes a container in which nothing of a project has run, or only the tree `after`, which may go on in it. */
  async #take(signal: AbortSignal, after: OnlyTree = null): Promise<WarmCheck> {
    const kept = after === null ? null : await this.#parking.takeOf(after);
    return kept ?? this.#parking.takeClean() ?? (await this.#pool.take(signal));
  }

  /** Nothing of a project runs here, so the container is as good as new afterwards. */
  #lintOnly<T>(signal: AbortSignal, act: Act<T>): Promise<T> {
    const acted = async (check: WarmCheck) => {
      const said = await act(check);
      await fresh(check, emptyTree, signal);
      return said;
    };
    return this.#inContainer(signal, acted, { keep: () => ({ ran: null }) });
  }

  /** Tries a second container when the first was lost, or when the process in it died. */
  async #inContainer<T>(signal: AbortSignal, act: Act<T>, around: ContainerUse<T>): Promise<T> {
    const { died } = around;
    const once = () => againAfterSleep(() => this.#once(signal, act, around), this.#lostAsleep);
    try {
      const result = await once();
      if (died?.(result) !== true) return result;
    } catch (error) {
      if (!(error instanceof HandsLost)) throw error;
    }
    return await once();
  }

  async #once<T>(signal: AbortSignal, act: Act<T>, { after, keep }: ContainerUse<T>): Promise<T> {
    const check = await this.#take(signal, after);
    let kept: KeptContainer = null;
    try {
      const result = await act(check);
      kept = keep?.(result) ?? null;
      return result;
    } finally {
      if (kept) await this.#parking.put(check, kept.ran);
      else await check[Symbol.asyncDispose]();
    }
  }

  async #judge(check: WarmCheck, request: CheckRequest, rules: RuffRules, signal: AbortSignal): Promise<CheckReport> {
    const started = awakeMs();
    const { expected, changes, notes, findings } = await judged(check, request, signal);
    const report = { judgeFiles: changes, findings, integrityNotes: notes, ...nothingRan };
    if (changes.some(({ allowed }) => !allowed) || findings.some(forges)) return { ...report, ms: since(started) };

    await fresh(check, request.tree, signal);
    const left = () => Math.max(1, request.timeoutMs - since(started));
    const linted = await lintTree(check, request, { rules, timeoutMs: left(), env: this.env, signal });
    const run = { files: request.staged.map(({ path }) => path), staged: request.staged, expected };
    const pytest = await runPytest(check.zygote, { ...run, data: request.opened, timeoutMs: left(), signal });
    const rewritten = await rewrittenFiles(check, { ...request, by: "pytest", signal });
    const ground = await withKnown(check, request, pytest.report.ground, signal);
    const freshly = (tree: TreeId) => fresh(check, tree, signal);
    const {
      own,
      before,
      killed: later,
      rewritten: byOwn,
    } = await ownTests(check, request, { fresh: freshly, timeoutMs: left, signal });
    const killed = [...pytest.killed, ...later];
    return {
      ...report,
      integrityNotes: [
        ...notes,
        ...(rules.refused === null ? [] : [rules.refused]),
        ...(killed.length > 0 ? [`left running by the tests: ${killed.join("; ")}`] : []),
      ],
      rewritten: [...linted.rewritten, ...rewritten, ...byOwn],
      ruff: linted.ruff,
      pytest: { ...pytest.report, ground },
      own,
      ownBefore: before,
      ms: since(started),
    };
  }
}

const nothingRan = { rewritten: [], ruff: null, pytest: null, own: null, ownBefore: null };

/** The tree that ran in a container that is kept; null for a container to throw away. */
type KeptContainer = { readonly ran: OnlyTree } | null;

interface ContainerUse<T> {
  /** may go on in the container in which this tree ran */
  readonly after?: TreeId;
  /** tells whether the result is worth a second container */
  readonly died?: (result: T) => boolean;
  readonly keep?: (result: T) => KeptContainer;
}

type Act<T> = (check: WarmCheck) => Promise<T>;

/** Leaves the tree in /workspace, whatever ruff did and wherever it had to look. */
async function lintTree(
  check: WarmCheck,
  { tree, last, allStaged, since: { base } }: CheckRequest,
  run: LintRun,
): Promise<{ readonly ruff: RuffReport; readonly rewritten: readonly RewrittenFile[] }> {
  const report = await lintWorkspace(check, run);
  const rewritten = await rewrittenFiles(check, { tree, last, by: "ruff", signal: run.signal });
  const staged = new Set(allStaged.map(({ path }) => path));
  const found = report.findings.filter(({ path }) => !staged.has(path));
  const older = await olderFindings(check, found, { ...run, base, tree });
  if (rewritten.length > 0 || older.changed.length > 0) await fresh(check, tree, run.signal);
  return { ruff: { ...report, older }, rewritten };
}

/** Asks before the container holds anything of the tree. */
function judged(
  { zygote }: WarmCheck,
  { last, tree, staged, allStaged, taskText, opened, since }: CheckRequest,
  signal: AbortSignal,
): Promise<z.infer<typeof checkRequests.judge.report>> {
  const judging = new Set(staged.map(({ path }) => path));
  const all = allStaged.map((test) => ({ ...test, judging: judging.has(test.path) }));
  const input = { staged: all, text: taskText, opened, accepted: since.taskTexts };
  const payload = { repo: containerPaths.repo, last, tree, base: since.base };
  return zygote.ask(checkRequests.judge, { payload, input }, signal);
}

/** Asks only when there is something to ask about. */
async function withKnown(
  { zygote }: WarmCheck,
  { tree, since }: CheckRequest,
  ground: readonly GroundChange[],
  signal: AbortSignal,
): Promise<readonly GroundChange[]> {
  const places = ground.flatMap(({ where }) => (where === "" ? [] : [where]));
  if (places.length === 0) return ground;
  const payload = { repo: containerPaths.repo, base: since.base, tree };
  const { paths } = await zygote.ask(checkRequests.unchanged, { payload, input: [...new Set(places)] }, signal);
  return ground.map((change) => ({ ...change, known: paths.includes(change.where) }));
}

async function fresh({ container }: WarmCheck, tree: TreeId, signal: AbortSignal): Promise<void> {
  try {
    await perform(container, operations.fresh, { tree }, { signal, timeoutMs: freshMs });
  } catch (error) {
    if (!(error instanceof ResidentRefusal)) throw error;
    throw new TilthError(
      "infra",
      `tree ${tree} cannot be put into a check container: ${error.message}`,
      "raise TILTH_SANDBOX_MEMORY, or keep large files out of the repository",
      error,
    );
  }
}

function since(started: number): number {
  return Math.round(awakeMs() - started);
}
