import type { Clock } from "../../base/clock.js";
import { TilthError } from "../../base/errors.js";
import { lazily } from "../../base/lazily.js";
import { version } from "../../base/version.js";
import { CheckMemory } from "../../checks/check-memory.js";
import { Spend } from "../../dialogue/spend.js";
import type { Hands, HandsImage } from "../../hands/ports/hands.js";
import type { Branch } from "../../loop/context/branch.js";
import { capMet } from "../../loop/context/caps.js";
import { contextFileReader } from "../../loop/context/context-cache.js";
import { type Environments, noEnvironments } from "../../loop/context/environments.js";
import type { Stop } from "../../loop/context/outcome.js";
import { recordReceipts } from "../../loop/context/receipt.js";
import type { RunContext } from "../../loop/context/run-context.js";
import type { SeedTests } from "../../loop/context/seed-tests.js";
import { Workbench } from "../../loop/context/workbench.js";
import { workThrough } from "../../loop/ralph.js";
import { Fence } from "../../memory/fence.js";
import type { ModelClient } from "../../model/port/model-client.js";
import { planOf, type Resumption, reconcile } from "../../reconcile/reconcile.js";
import { resume } from "../../reconcile/resume.js";
import type { EventLog } from "../../session/log/event-log.js";
import { Reserve } from "../../session/reserve.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Summary } from "../../session/summary/summary-schema.js";
import { countedTokens } from "../../session/summary/usage.js";
import type { Settings } from "../../settings/settings.js";
import { workerTools } from "../../tools/roles.js";
import type { Registry } from "../../tools/tool/registry.js";
import type { WorkerContext } from "../../tools/worker/worker-context.js";
import type { Basis } from "../opening/basis.js";
import { fillRepository } from "../opening/fill-repository.js";
import { type LeftBehind, statusAfter, stopOf, tidyUp } from "./end-run.js";
import type { LogSoFar } from "./log-so-far.js";

export interface RunParts {
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly basis: Pick<Basis, "source"> & { readonly image: HandsImage };
  readonly hands: Hands;
  readonly branch: Branch;
  /** closed before the run's last event, so that all its traffic is logged; none by default */
  readonly wayOut?: AsyncDisposable | null;
  /** none by default */
  readonly environments?: Environments;
  /** the worker's; the usual ones by default */
  readonly tools?: Registry<WorkerContext>;
  readonly model: ModelClient;
  readonly log: EventLog;
  readonly seedTests: SeedTests;
  /** kept up to date with `log` */
  readonly soFar: LogSoFar;
  /** null unless the run continues one that stopped */
  readonly resumption: Resumption | null;
  /** true if the worktree was gone and its folder was made again */
  readonly emptyWorktree: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface RunEnd extends LeftBehind {
  readonly stop: Stop;
  readonly summary: Summary;
  /** the error behind the stop, if there was one; a bug in tilth when the stop is `error` */
  readonly cause: unknown;
}

/** Carries a run from its first event to its `stop`, whatever happens in between. */
export class SessionRun {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async toTheEnd(): Promise<RunEnd> {
    const { files, signal } = this.#parts;
    using reserve = Reserve.hold(files.paths.reserve);
    using _receipts = recordReceipts(this.#parts.hands, this.#parts.log);
    const run = this.#context();
    const { stop, cause } = await this.#work(run).then(
      (reached) => ({ stop: reached, cause: null }),
      (error: unknown) => ({ stop: stopOf(error, files.id, signal), cause: error }),
    );
    // another process holds the lock now, so nothing more may be written into its session
    if (signal.reason instanceof TilthError) throw signal.reason;
    const closed = await this.#close(run, stop, reserve).catch((error: unknown) => {
      throw duringRun(error);
    });
    return { ...closed, cause };
  }

  async #work(run: RunContext): Promise<Stop> {
    const { resumption, emptyWorktree } = this.#parts;
    if (resumption === null) await this.#begin(run);
    else await resume(run, resumption);
    if (emptyWorktree) await this.#fillWorktree();
    return await workThrough(run);
  }

  async #fillWorktree(): Promise<void> {
    const { hands, branch, signal } = this.#parts;
    await this.#openRepository();
    const tip = await branch.tip(signal);
    await hands.clerk.materialise(tip, signal);
    await branch.show(tip, signal);
  }

  /** A session that never ran is reconciled too: prd.json and the checkpoint are trusted no more than at a resume. */
  async #begin(run: RunContext): Promise<void> {
    const reconciled = await reconcile(run, { past: this.#parts.soFar.past, settled: null });
    this.#announce(reconciled);
    if (reconciled.length > 0) await run.branch.tip(run.signal);
  }

  #announce(reconciled: readonly string[]): void {
    const { files, basis, log } = this.#parts;
    const { base_commit } = files.updateCheckpoint({ status: "running", image: basis.image.id });
    const { author, workTree } = basis.source;
    log.append("session_start", {
      phase: "run",
      session: files.id,
      source: workTree,
      base_commit,
      version,
      image: basis.image.id,
      author: `${author.name} <${author.email}> (${author.from})`,
      ...(reconciled.length === 0 ? {} : { reconciled: [...reconciled] }),
    });
  }

  #context(): RunContext {
    const { settings, basis, hands, branch, log, soFar, clock, signal } = this.#parts;
    const repository = lazily(() => this.#openRepository());
    const baseTree = lazily(async () => {
      await repository();
      return hands.clerk.treeOf(branch.base, signal);
    });
    const spend = new Spend(soFar.rollup.summary(null).usage);
    const started = clock.monotonicMs();
    const minutes = () => (clock.monotonicMs() - started) / 60_000;
    return {
      plan: () => planOf(this.#parts.files, soFar.past),
      environments: noEnvironments,
      tools: workerTools(),
      ...this.#parts,
      events: log,
      author: basis.source.author,
      spend,
      fence: new Fence(),
      capMet: () =>
        capMet(settings.caps, { tokens: spend.tokens, costUsd: spend.cost, minutes: minutes() }, this.#parts.files.id),
      workbench: new Workbench({ hands, repository, events: log, signal }),
      contextFiles: contextFileReader(branch, settings.contextFiles, signal),
      repository,
      baseTree,
      ruffRules: async () => hands.checks.ruffRules(await baseTree(), signal),
      checkMemory: new CheckMemory(),
      opened: soFar.opened,
      suite: soFar.suite,
      summarise: () => this.#summarise(),
    };
  }

  async #openRepository(): Promise<void> {
    const { hands, branch, basis, signal } = this.#parts;
    const tip = await branch.tip(signal);
    await branch.show(tip, signal);
    await fillRepository(hands.clerk, basis.source, { base: branch.base, tip, signal });
  }

  #summarise(): Summary {
    const { files, settings, soFar } = this.#parts;
    const summary = soFar.rollup.summary(settings.caps);
    files.saveSummary(summary);
    files.updateCheckpoint({ tokens: countedTokens(summary.usage), cost: summary.usage.cost });
    return summary;
  }

  async #close(run: RunContext, stop: Stop, reserve: Reserve): Promise<Omit<RunEnd, "cause">> {
    const { files, log, hands, wayOut } = this.#parts;
    const left = await tidyUp(run, stop);
    await wayOut?.[Symbol.asyncDispose]();
    // released only now: saving the patch, which nobody depends on, could use up the freed space
    reserve.release();
    if (left.executes.length + left.renamed.length > 0 || left.problem !== null)
      log.append("left_behind", { ...left, executes: [...left.executes], renamed: [...left.renamed] });
    hands.tellReceipts(null);
    log.append("stop", { reason: stop.reason, detail: stop.detail, hint: stop.hint });
    const summary = this.#summarise();
    // last, because nobody returns to a session whose checkpoint says all is done
    files.updateCheckpoint({ status: statusAfter(stop.reason) });
    if (stop.reason === "all_done") await hands.discard();
    return { ...left, stop, summary };
  }
}

/** A `usage` error promises that nothing was changed; once the run has begun, the same trouble is `infra`. */
function duringRun(error: unknown): unknown {
  const isUsage = error instanceof TilthError && error.code === "usage";
  return isUsage ? new TilthError("infra", error.message, error.hint, error) : error;
}
