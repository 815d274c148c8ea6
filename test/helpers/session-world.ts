import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { loadModelSettings, loadSettings } from "../../cli/settings/settings.js";
import type { InFlightPolicy } from "../../runner/app/removal/in-flight.js";
import { hostPath } from "../../runner/base/ids.js";
import { type Script, scriptedModels } from "../../runner/demo/script/script.js";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { removeAndSeeGone } from "../../runner/hands/docker/container/container.js";
import { labels } from "../../runner/hands/docker/container/labels.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { listVolumes } from "../../runner/hands/docker/environment-volume.js";
import {
  type RunEnd,
  type RunOrder,
  resumeSession,
  runSession,
  type SessionFiles,
  SessionStore,
  stageSeed,
} from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import type { ModelSettings } from "../../runner/settings/settings.js";
import { GitRepo } from "./git-repo.js";
import { realImage } from "./image.js";
import { canaryKey, startModel } from "./scripted-model.js";
import { snapshotOf } from "./session-disk.js";

/** The content of a secret place in the person's home; it must not turn up anywhere else. */
export const honey = "HONEY-77aa1c90";

export interface SeedTask {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptance_criteria: readonly string[];
  readonly test: { readonly name: string; readonly source: string };
}

export interface SessionPlan {
  readonly files: Readonly<Record<string, string>>;
  readonly tasks: readonly SeedTask[];
  readonly meta?: object;
  readonly script: Script;
  readonly env?: Readonly<Record<string, string>>;
  /** spoils a source that is otherwise ready */
  readonly spoil?: (repo: GitRepo) => void;
}

type Watcher = (event: TilthEvent) => void;

/** A source, a seed, a home and a scripted model in a folder of their own, and whole sessions over them on the real engine. */
export class SessionWorld implements AsyncDisposable {
  readonly events: TilthEvent[] = [];
  readonly said: string[] = [];
  readonly #watchers: Watcher[] = [];

  private constructor(
    readonly repo: GitRepo,
    readonly engine: Engine,
    readonly model: ScriptedModel,
    readonly env: Record<string, string>,
    /** every file of the source before tilth came */
    readonly before: Map<string, string>,
    readonly honeyBefore: Map<string, string>,
  ) {}

  static async open(plan: SessionPlan): Promise<SessionWorld> {
    const repo = new GitRepo();
    const engine = await Engine.connect(loadSettings({ ...process.env, ...plan.env }), new AbortController().signal);
    await realImage(engine);
    plantHoney(repo);
    writeSeed(join(repo.root, "seed"), plan);
    repo.files(plan.files).commit("base");
    plan.spoil?.(repo);
    const model = await startModel(plan.script);
    writeFileSync(join(repo.tilthHome, ".env"), `TILTH_API_KEY=${canaryKey}\n`, { mode: 0o600 });
    const env = { ...environment(repo, model.baseUrl), ...plan.env };
    return new SessionWorld(repo, engine, model, env, snapshotOf(repo.path), snapshotOf(repo.userHome));
  }

  get settings(): ModelSettings {
    return loadModelSettings(this.env);
  }

  /** The folder in which attacks leave their marks, if they get so far. */
  get markers(): string {
    return markersOf(this.repo);
  }

  onEvent(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  async stage(change: { trustSource?: boolean; inFlight?: InFlightPolicy } = {}): Promise<SessionFiles> {
    const { id } = await stageSeed({
      ...this.#common(),
      source: this.repo.path,
      from: join(this.repo.root, "seed"),
      inFlight: "refuse",
      trustSource: false,
      ...change,
    });
    return new SessionStore(hostPath(this.settings.home)).open(id);
  }

  run(files: SessionFiles, change: { trustSource?: boolean; leaseSeconds?: number } = {}): Promise<RunEnd> {
    return runSession({ ...this.#order(files), ...change });
  }

  resume(files: SessionFiles): Promise<RunEnd> {
    return resumeSession(this.#order(files));
  }

  #order(files: SessionFiles): RunOrder {
    return {
      ...this.#common(),
      files,
      trustSource: false,
      onEvent: (event) => {
        this.events.push(event);
        for (const watcher of this.#watchers) watcher(event);
      },
    };
  }

  async containers(role?: string): Promise<string[]> {
    const label = [`${labels.session}`, ...(role === undefined ? [] : [`${labels.role}=${role}`])];
    const listed = await this.engine.docker.listContainers({ all: true, filters: { label } });
    const mounted = listed.filter(({ Labels }) => this.sessions().includes(Labels[labels.session] ?? ""));
    return mounted.map(({ Id }) => Id);
  }

  /** names of the volumes that hold an environment */
  async environments(): Promise<string[]> {
    const home = this.repo.tilthHome;
    const listed = await listVolumes({ engine: this.engine, home, signal: new AbortController().signal });
    return listed.map(({ name }) => name);
  }

  sessions(): string[] {
    return new SessionStore(hostPath(this.repo.tilthHome)).list().map(({ id }) => id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of await this.containers()) await removeAndSeeGone(this.engine, id);
    const volumes = this.sessions().map((id) => this.engine.docker.getVolume(`tilth-${id}-repo`));
    const environments = (await this.environments()).map((name) => this.engine.docker.getVolume(name));
    await Promise.all([...volumes, ...environments].map((volume) => volume.remove().catch(() => undefined)));
    await this.model[Symbol.asyncDispose]();
    // a worktree may hold paths that are too long for Node
    execFileSync("rm", ["-rf", this.repo.root]);
  }

  #common() {
    const { signal } = new AbortController();
    return { settings: this.settings, signal, say: (line: string) => void this.said.push(line) };
  }
}

export function markersOf(repo: GitRepo): string {
  return join(repo.root, "markers");
}

function plantHoney(repo: GitRepo): void {
  mkdirSync(markersOf(repo), { mode: 0o777 });
  mkdirSync(join(repo.userHome, ".ssh"));
  writeFileSync(join(repo.userHome, ".ssh", "id_rsa"), `${honey}\n`);
}

function writeSeed(folder: string, { tasks, meta }: SessionPlan): void {
  mkdirSync(join(folder, "tests"), { recursive: true });
  const prd = tasks.map(({ test: _, ...entry }) => entry);
  writeFileSync(join(folder, "prd.json"), JSON.stringify(prd));
  if (meta) writeFileSync(join(folder, "seed-meta.json"), JSON.stringify(meta));
  for (const { test } of tasks) writeFileSync(join(folder, "tests", test.name), test.source);
}

/** The variables of a person's shell: their home is the honey one, the engine and the image are the machine's. */
function environment(repo: GitRepo, baseUrl: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => /^(PATH|DOCKER_.*|TILTH_(SANDBOX|BASE)_.*)$/.test(name));
  return {
    DOCKER_CONFIG: join(homedir(), ".docker"),
    ...(Object.fromEntries(kept) as Record<string, string>),
    HOME: repo.userHome,
    TILTH_HOME: repo.tilthHome,
    TILTH_BASE_URL: baseUrl,
    TILTH_WORKER_MODEL: scriptedModels.worker,
    TILTH_EVALUATOR_MODEL: scriptedModels.evaluator,
    TILTH_PREP_MODEL: scriptedModels.interviewer,
  };
}
