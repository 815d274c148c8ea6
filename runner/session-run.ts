import { CheckMemory } from "./checks/check-memory.js";
import { Spend } from "./dialogue/spend.js";
import { type LeftBehind, statusAfter, stopOf, tidyUp } from "./end-run.js";
import { TilthError } from "./errors.js";
import type { Ground } from "./ground.js";
import type { Hands, HandsImage } from "./hands/hands.js";
import type { Branch } from "./loop/branch.js";
import { contextFileReader } from "./loop/context-cache.js";
import type { Stop } from "./loop/outcome.js";
import { workThrough } from "./loop/ralph.js";
import { ruffInForce } from "./loop/ruff-in-force.js";
import type { RunContext } from "./loop/run-context.js";
import type { SeedTests } from "./loop/seed-tests.js";
import { Workbench } from "./loop/workbench.js";
import type { ModelClient } from "./model/model-client.js";
import type { EventLog } from "./session/event-log.js";
import { readEvents } from "./session/event-reader.js";
import type { SessionFiles } from "./session/session-files.js";
import { SummaryRollup } from "./session/summary.js";
import type { Summary } from "./session/summary-schema.js";
import type { Settings } from "./settings.js";
import { packBase } from "./source/base-pack.js";
import type { Clock } from "./support/clock.js";
import { lazily } from "./support/lazily.js";
import { version } from "./support/version.js";

export interface RunParts {
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly ground: Pick<Ground, "source"> & { readonly image: HandsImage };
  readonly hands: Hands;
  readonly branch: Branch;
  readonly model: ModelClient;
  readonly log: EventLog;
  readonly seedTests: SeedTests;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface RunEnd extends LeftBehind {
  readonly stop: Stop;
  readonly summary: Summary;
  /** the error behind the stop, if there was one; a bug in tilth when the stop is `error` */
  readonly cause: unknown;
}

/** From the first event of a run to its `stop`, whatever comes in between. */
export class SessionRun {
  readonly #parts: RunParts;
  readonly #rollup = new SummaryRollup();

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async toTheEnd(): Promise<RunEnd> {
    const { files, log, signal } = this.#parts;
    for await (const event of readEvents(files.paths.events)) this.#rollup.add(event);
    log.onEvent((event) => this.#rollup.add(event));
    this.#announce();
    const run = this.#context();
    const { stop, cause } = await workThrough(run).then(
      (reached) => ({ stop: reached, cause: null }),
      (error: unknown) => ({ stop: stopOf(error, files.id, signal), cause: error }),
    );
    // the lock is another process's now: not a word more may be written into its session
    if (signal.reason instanceof TilthError) throw signal.reason;
    return { ...(await this.#close(run, stop)), cause };
  }

  #announce(): void {
    const { files, ground, log } = this.#parts;
    const { base_commit } = files.updateCheckpoint({ status: "running", image: ground.image.id });
    const { author, workTree } = ground.source;
    log.append("session_start", {
      phase: "run",
      session: files.id,
      source: workTree,
      base_commit,
      version,
      image: ground.image.id,
      author: `${author.name} <${author.email}> (${author.from})`,
    });
  }

  #context(): RunContext {
    const { settings, ground, hands, branch, log, clock, signal } = this.#parts;
    const { total_tokens: tokens, cost } = this.#rollup.summary(null).usage;
    const repository = lazily(() => this.#openRepository());
    return {
      ...this.#parts,
      events: log,
      author: ground.source.author,
      spend: new Spend({ tokens, cost }),
      workbench: new Workbench({ hands, repository, events: log, clock, signal }),
      contextFiles: contextFileReader(branch, settings.contextFiles, signal),
      ruff: ruffInForce({ hands, base: branch.base, repository, signal }),
      checkMemory: new CheckMemory(),
      summarise: () => this.#summarise(),
    };
  }

  /** The clerk's repository is a volume that anybody may have pruned; it is filled again from the branch. */
  async #openRepository(): Promise<void> {
    const { hands, branch, ground, signal } = this.#parts;
    const tip = await branch.tip(signal);
    await branch.show(tip, signal);
    if (await hands.clerk.open(tip, signal)) return;
    for (const commit of [branch.base, tip])
      await hands.clerk.takePack(packBase(ground.source, commit, signal), commit, signal);
  }

  #summarise(): Summary {
    const { files, settings } = this.#parts;
    const summary = this.#rollup.summary(settings.caps);
    files.saveSummary(summary);
    files.updateCheckpoint({ tokens: summary.usage.total_tokens, cost: summary.usage.cost });
    return summary;
  }

  async #close(run: RunContext, stop: Stop): Promise<Omit<RunEnd, "cause">> {
    const { files, log, hands } = this.#parts;
    const left = await tidyUp(run, stop);
    if (left.executes.length + left.renamed.length > 0)
      log.append("left_behind", { executes: [...left.executes], renamed: [...left.renamed] });
    files.updateCheckpoint({ status: statusAfter(stop.reason) });
    log.append("stop", { reason: stop.reason, detail: stop.detail, hint: stop.hint });
    const summary = this.#summarise();
    if (stop.reason === "all_done") await hands.discard();
    return { ...left, stop, summary };
  }
}
