import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { LogSoFar } from "../../runner/app/running/log-so-far.js";
import { type RunEnd, type RunParts, SessionRun } from "../../runner/app/running/session-run.js";
import type { Clock } from "../../runner/base/clock.js";
import { commitId, type HostPath, hostPath, type TreeId } from "../../runner/base/ids.js";
import type { FileIo } from "../../runner/disk/file-io.js";
import type { NewCommit } from "../../runner/hands/ports/clerk.js";
import type { Hands } from "../../runner/hands/ports/hands.js";
import type { Branch } from "../../runner/loop/context/branch.js";
import { SeedTests } from "../../runner/loop/context/seed-tests.js";
import type { ModelClient } from "../../runner/model/port/model-client.js";
import type { Past, TaskCommit } from "../../runner/reconcile/past.js";
import { EventLog } from "../../runner/session/log/event-log.js";
import { readEvents } from "../../runner/session/log/event-reader.js";
import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import { handWrittenMeta, type SeedNotes } from "../../runner/session/state/seed-meta.js";
import { SessionStore } from "../../runner/session/store.js";
import type { Caps, Settings, SuiteSettings } from "../../runner/settings/settings.js";
import type { Source } from "../../runner/source/preflight/preflight.js";
import { SessionBranch } from "../../runner/source/session-branch.js";
import { workerTools } from "../../runner/tools/roles.js";
import type { Registry } from "../../runner/tools/tool/registry.js";
import type { WorkerContext } from "../../runner/tools/worker/worker-context.js";
import type { CheckFunction } from "./fake-checks.js";
import type { FakeHands } from "./fake-hands.js";
import { FakeModelClient, type FakeRole, type FakeTurn } from "./fake-model-client.js";
import { type GitRepo, never } from "./git-repo.js";
import { MemoryBranch } from "./loop-branch.js";
import { SteppingClock } from "./loop-clock.js";
import { MemoryHands } from "./loop-hands.js";
import { faultsOfHistory, faultsOfLog } from "./loop-oracle.js";
import { loopSettings } from "./loop-settings.js";
import { planted, seedOf } from "./numbered-seed.js";
import { scratch } from "./scratch.js";

export interface LoopOptions {
  readonly tasks?: number;
  readonly caps?: Partial<Caps>;
  readonly check?: CheckFunction;
  /** files of the base commit */
  readonly files?: Readonly<Record<string, string>>;
  readonly notes?: Partial<SeedNotes>;
  readonly contextTokens?: number;
  readonly suite?: Partial<SuiteSettings>;
  /** the worker's tools; the usual ones by default */
  readonly tools?: Registry<WorkerContext>;
  /** TILTH_HOME; by default a folder that goes with the test */
  readonly home?: HostPath;
}

export type Script = Partial<Record<FakeRole, readonly FakeTurn[]>>;

/** One prepared session of `tasks` tasks, each with one criterion and one test that wants its module `feature_<n>`. */
export class LoopSession<H extends Hands = Hands, B extends Branch = Branch> {
  readonly clock = new SteppingClock();
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly hands: H;
  readonly branch: B;
  readonly #source: Source;
  readonly #tools: Registry<WorkerContext>;

  private constructor(of: { files: SessionFiles; hands: H; branch: B; source: Source; options: LoopOptions }) {
    this.files = of.files;
    this.hands = of.hands;
    this.branch = of.branch;
    this.#source = of.source;
    this.#tools = of.options.tools ?? workerTools();
    const { caps = {}, contextTokens = null, suite = {} } = of.options;
    const usual = loopSettings(of.files.paths.folder, caps);
    this.settings = { ...usual, contextTokens, suite: { ...usual.suite, ...suite } };
  }

  /** On hands and a branch in memory: quick, for all tests that are not about git. */
  static async open(options: LoopOptions = {}): Promise<LoopSession<MemoryHands, MemoryBranch>> {
    const [home, seed, hands] = [options.home ?? scratch(), seedOf(options), new MemoryHands(options.check)];
    const base = await hands.clerk.commit(
      firstCommit(hands.clerk.addTree(new Map(Object.entries(options.files ?? baseFiles)))),
    );
    const tests = seed.tests.map(({ path, source }) => ({ path, content: Buffer.from(source) }));
    const tree = await hands.clerk.treeWith(await hands.clerk.treeOf(base), tests);
    const tip = await hands.clerk.commit({ ...firstCommit(tree), parent: base });
    await hands.clerk.materialise(tip);
    const workTree = hostPath(join(home, "source"));
    const files = new SessionStore(home).create({ source: workTree, baseCommit: base });
    files.savePrd(seed.prd);
    files.saveSeedMeta(handWrittenMeta(seed.notes, new Date(0)));
    files.saveSeed(new Map(seed.tests.map(({ name, source }) => [name, source])));
    files.updateCheckpoint({ status: "prepared", last_commit: tip });
    const branch = new MemoryBranch(hands.clerk, base, tip);
    return new LoopSession({ files, hands, branch, source: { workTree, author } as Source, options });
  }

  /** Staged in a real source, on a real branch. */
  static async inSource(repo: GitRepo, options: LoopOptions = {}): Promise<LoopSession<FakeHands, SessionBranch>> {
    const { source, files, hands } = await planted(repo, options);
    const branch = new SessionBranch(source, {
      id: files.id,
      base: source.head,
      last: commitId(files.loadCheckpoint().last_commit),
      worktree: files.paths.worktree,
      allowed: null,
    });
    return new LoopSession({ files, hands, branch, source, options });
  }

  /** Runs to the end, and checks every request and the log with the oracle. */
  async run(script: Script, options: { signal?: AbortSignal; io?: FileIo } = {}): Promise<LoopRun> {
    const model = new FakeModelClient(script);
    const { end, events } = await this.runOn(model, options);
    expect(model.requests.flatMap(({ request }) => faultsOfHistory(request))).toEqual([]);
    return new LoopRun(end, events, model);
  }

  /** Runs with a model of any kind, without a check of the requests. `resume` goes on where another run ended. */
  async runOn(
    model: ModelClient,
    options: { signal?: AbortSignal; io?: FileIo; resume?: boolean; clock?: Clock } = {},
  ): Promise<{ end: RunEnd; events: readonly TilthEvent[] }> {
    const before = await this.logged();
    const events: TilthEvent[] = [];
    using log = EventLog.open(this.files.paths.events, (text) => text, {
      clock: this.clock,
      ...(options.io ? { io: options.io } : {}),
    });
    log.onEvent((event) => events.push(event));
    const soFar = await LogSoFar.follow(log, this.files.paths.events);
    const parts: RunParts = {
      settings: this.settings,
      files: this.files,
      basis: { source: this.#source, image: this.hands.image },
      hands: this.hands,
      branch: this.branch,
      tools: this.#tools,
      model,
      log,
      seedTests: new SeedTests(this.files.loadPrd(), this.files.loadSeed()),
      soFar,
      resumption: options.resume ? { past: soFar.past, settled: this.#settled(soFar.past) } : null,
      emptyWorktree: false,
      clock: options.clock ?? this.clock,
      signal: options.signal ?? never,
    };
    const end = await new SessionRun(parts).toTheEnd();
    expect(faultsOfLog(events, before)).toEqual([]);
    return { end, events };
  }

  async logged(): Promise<readonly TilthEvent[]> {
    const events: TilthEvent[] = [];
    for await (const event of readEvents(this.files.paths.events)) events.push(event);
    return events;
  }

  #settled({ prepared }: Past): TaskCommit | null {
    const { branch } = this;
    return (branch instanceof MemoryBranch && prepared.find(({ sha }) => sha === branch.at)) || null;
  }

  /** The status of each task, in order. */
  get statuses(): readonly string[] {
    return this.files.loadPrd().map(({ status }) => status);
  }

  text(path: "progress" | "learnings" | "partialPatch"): string {
    return readFileSync(this.files.paths[path], "utf8");
  }
}

export class LoopRun {
  constructor(
    readonly end: RunEnd,
    readonly events: readonly TilthEvent[],
    readonly model: FakeModelClient,
  ) {}

  get reason(): string {
    return this.end.stop.reason;
  }

  get types(): readonly EventType[] {
    return this.events.map(({ type }) => type);
  }

  of<T extends EventType>(type: T): readonly Payload<T>[] {
    return this.events.filter((event) => event.type === type).map(({ payload }) => payload as Payload<T>);
  }

  /** The answers that the model got to its calls, in order. */
  get answers(): readonly string[] {
    return this.of("tool_result").map(({ content }) => content);
  }
}

const author = { name: "Ada", email: "ada@example.org", from: "the test" };
const baseFiles = { "README.md": "# A project\n", "AGENTS.md": "Keep it plain.\n" };

function firstCommit(tree: TreeId): NewCommit {
  const parent = commitId("0".repeat(40));
  return { tree, parent, message: "made for the test", author, committer: author, date: new Date(0) };
}
