import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ground } from "../../runner/ground.js";
import type { Hands, NewCommit } from "../../runner/hands/hands.js";
import type { Branch } from "../../runner/loop/branch.js";
import { SeedTests } from "../../runner/loop/seed-tests.js";
import { plantSeed } from "../../runner/plant-seed.js";
import type { Seed } from "../../runner/seed/seed.js";
import { EventLog } from "../../runner/session/event-log.js";
import type { EventType, Payload, TilthEvent } from "../../runner/session/events.js";
import type { Task } from "../../runner/session/prd.js";
import { handWrittenMeta, type SeedNotes } from "../../runner/session/seed-meta.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import { SessionStore } from "../../runner/session/store.js";
import { type RunEnd, type RunParts, SessionRun } from "../../runner/session-run.js";
import type { Caps, Settings } from "../../runner/settings.js";
import type { Source } from "../../runner/source/preflight.js";
import { SessionBranch } from "../../runner/source/session-branch.js";
import type { FileIo } from "../../runner/support/file-io.js";
import { commitId, hostPath, type TreeId } from "../../runner/support/ids.js";
import { scratch } from "../support/scratch.js";
import type { CheckFunction } from "./fake-checks.js";
import { FakeHands } from "./fake-hands.js";
import { FakeModelClient, type FakeRole, type FakeTurn } from "./fake-model-client.js";
import { type GitRepo, never } from "./git-repo.js";
import { MemoryBranch } from "./loop-branch.js";
import { SteppingClock } from "./loop-clock.js";
import { MemoryHands } from "./loop-hands.js";
import { faultsOfHistory, faultsOfLog } from "./loop-oracle.js";
import { loopSettings } from "./loop-settings.js";

export interface LoopOptions {
  readonly tasks?: number;
  readonly caps?: Partial<Caps>;
  readonly check?: CheckFunction;
  /** of the base commit */
  readonly files?: Readonly<Record<string, string>>;
  readonly notes?: Partial<SeedNotes>;
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

  private constructor(of: { files: SessionFiles; hands: H; branch: B; source: Source; options: LoopOptions }) {
    this.files = of.files;
    this.hands = of.hands;
    this.branch = of.branch;
    this.#source = of.source;
    this.settings = loopSettings(of.files.paths.folder, of.options.caps ?? {});
  }

  /** On hands and a branch in memory: quick, for all that is not about git. */
  static async open(options: LoopOptions = {}): Promise<LoopSession<MemoryHands, MemoryBranch>> {
    const [home, seed, hands] = [scratch(), seedOf(options), new MemoryHands(options.check)];
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
    const source = await repo.preflight();
    const files = new SessionStore(repo.tilthHome).create({ source: source.workTree, baseCommit: source.head });
    const { worktree } = files.paths;
    const check = options.check ? { check: options.check } : {};
    const hands = await FakeHands.open({ folder: repo.root, worktree, ...check });
    const [seed, ground] = [seedOf(options), { source, image: hands.image } as Ground];
    const meta = handWrittenMeta(seed.notes, new Date(0));
    await plantSeed({ ground, files, hands, seed, meta, signal: never });
    const branch = new SessionBranch(source, {
      id: files.id,
      base: source.head,
      last: commitId(files.loadCheckpoint().last_commit),
      worktree,
      allowed: null,
    });
    return new LoopSession({ files, hands, branch, source, options });
  }

  /** Goes to the end, and holds against the oracle what was asked and logged on the way. */
  async run(script: Script, options: { signal?: AbortSignal; io?: FileIo } = {}): Promise<LoopRun> {
    const model = new FakeModelClient(script);
    const events: TilthEvent[] = [];
    using log = EventLog.open(this.files.paths.events, (text) => text, {
      clock: this.clock,
      ...(options.io ? { io: options.io } : {}),
    });
    log.onEvent((event) => events.push(event));
    const parts: RunParts = {
      settings: this.settings,
      files: this.files,
      ground: { source: this.#source, image: this.hands.image },
      hands: this.hands,
      branch: this.branch,
      model,
      log,
      seedTests: new SeedTests(this.files.loadSeed()),
      clock: this.clock,
      signal: options.signal ?? never,
    };
    const end = await new SessionRun(parts).toTheEnd();
    expect([...model.requests.flatMap(({ request }) => faultsOfHistory(request)), ...faultsOfLog(events)]).toEqual([]);
    return new LoopRun(end, events, model);
  }

  /** How each task stands, in order. */
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

  /** What the model was told in answer to its calls, in order. */
  get answers(): readonly string[] {
    return this.of("tool_result").map(({ content }) => content);
  }
}

const author = { name: "Ada", email: "ada@example.org", from: "the test" };
const baseFiles = { "README.md": "# A project\n", "AGENTS.md": "Keep it plain.\n" };

export const taskId = (n: number) => `T-${String(n).padStart(3, "0")}`;

function seedOf({ tasks = 1, notes = {} }: LoopOptions): Seed {
  const numbers = Array.from({ length: tasks }, (_, index) => index + 1);
  return {
    prd: numbers.map(taskNumber),
    tests: numbers.map((n) => {
      const name = `test_${taskId(n).replace("-", "").toLowerCase()}_feature.py`;
      const source = `from feature_${n} import value\n\n\ndef test_value():\n    assert value == ${n}\n`;
      return { taskId: taskId(n), name, path: `tests/${name}`, source };
    }),
    notes: { tldr: "", scope_notes: "", blockers: [], open_questions: [], ...notes },
  };
}

function taskNumber(n: number): Task {
  return {
    id: taskId(n),
    title: `Title of ${n}`,
    description: `Description of ${n}.`,
    acceptance_criteria: [`Criterion of ${n}`],
    status: "pending",
  };
}

function firstCommit(tree: TreeId): NewCommit {
  const parent = commitId("0".repeat(40));
  return { tree, parent, message: "made for the test", author, committer: author, date: new Date(0) };
}
