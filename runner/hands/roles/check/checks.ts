import { type TreeId, treeId } from "../../../base/ids.js";
import { againAfterSleep } from "../../ports/after-sleep.js";
import type { CheckReport, CheckRequest, Checks, RedReport, RedRequest } from "../../ports/checks/checks.js";
import type { CounterReport, CounterRequest } from "../../ports/checks/counter.js";
import type { RuffReport, RuffRules } from "../../ports/checks/ruff.js";
import type { StagedTest } from "../../ports/checks/staged.js";
import type { SuiteRuns } from "../../ports/checks/suite.js";
import { HandsLost } from "../../ports/hands.js";
import { pinnedRules } from "../ruff-rules.js";
import type { StartAhead } from "./containers/ahead.js";
import { fresh } from "./containers/fresh.js";
import { type OnlyTree, ParkingPlace } from "./containers/parking-place.js";
import { CheckPool, type WarmCheck } from "./containers/pool.js";
import type { StartCheckSandbox } from "./containers/zygote.js";
import { counterCheck } from "./counter/counter.js";
import { lintSources } from "./runs/lint.js";
import { redReport } from "./runs/red.js";
import { askForRules } from "./runs/rules.js";
import { nothingReported } from "./runs/test-run.js";
import { checkTree } from "./runs/tree-check.js";
import { ContainerSuite } from "./suite.js";

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
    return this.#inContainer(signal, (check) => checkTree(check, request, { rules, env: this.env, signal }), {
      died,
      keep,
    });
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

  suite(tree: TreeId | null = null): SuiteRuns {
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
    const run = { rules: pinnedRules, timeoutMs: lintMs, env: this.env, signal };
    return this.#lintOnly(signal, (check) => lintSources(check, files, run));
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
}

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
