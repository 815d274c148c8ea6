import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSettings } from "../../cli/settings/settings.js";
import type { Turn } from "../../runner/demo/script/script.js";
import { labels } from "../../runner/hands/docker/container/labels.js";
import { ownerOf, parseOwner } from "../../runner/hands/docker/container/owner.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { git, gitLine } from "./fake-git.js";
import { realImage } from "./image.js";
import { makeSource } from "./sources.js";
import { type Env, Tilth } from "./tilth.js";

/** Names of its folders, for tests where they matter. */
export interface StageNames {
  readonly source?: string;
  readonly home?: string;
}

/** A person's machine: a repository, a seed beside it, and the command line with a real engine. */
export class CliStage implements AsyncDisposable {
  readonly source: string;
  readonly seed: string;

  private constructor(
    readonly tilth: Tilth,
    readonly engine: Engine,
    source = "source",
  ) {
    this.source = join(tilth.root, source);
    this.seed = join(tilth.root, "seed");
  }

  static async open(env: Env = {}, tasks = 1, names: StageNames = {}): Promise<CliStage> {
    const engine = await Engine.connect(loadSettings(), new AbortController().signal);
    await realImage(engine);
    const stage = new CliStage(new Tilth(env, undefined, names.home), engine, names.source);
    await makeSource(stage.source, { "pkg/__init__.py": "", "AGENTS.md": "Plain Python.\n" });
    stage.#writeSeed(tasks);
    return stage;
  }

  /** Stages the seed and gives the session's id. */
  async prepared(...flags: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tilth.run(["seed", this.source, "--from", this.seed, ...flags]);
    const id = /session (\S+) is prepared/.exec(stdout)?.[1];
    if (code !== 0 || id === undefined) throw new Error(`the seed was not staged: ${stdout}${stderr}`);
    return id;
  }

  /** Everything that a verb could have left: sessions, containers and volumes, and the differences in the source. */
  async traces(): Promise<{ sessions: string[]; onEngine: string[]; source: string }> {
    return { sessions: this.tilth.sessions(), onEngine: await this.onEngine(), source: await this.#sourceState() };
  }

  /** Lists containers, and volumes too unless only containers are asked for. */
  async onEngine(kinds: "all" | "containers" = "all"): Promise<string[]> {
    const containers = await this.#containers();
    const volumes = kinds === "all" ? await this.volumes() : [];
    return [
      ...containers.map(({ Id, State }) => `container ${Id.slice(0, 12)} ${State}`),
      ...volumes.map((name) => `volume ${name}`),
    ].sort();
  }

  /** The ids of this stage's containers that have that role. */
  async containers(role: string): Promise<string[]> {
    return (await this.#containers()).filter(({ Labels }) => Labels[labels.role] === role).map(({ Id }) => Id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clearEngine();
    this.tilth[Symbol.dispose]();
  }

  /** Removes everything on the engine but the volumes of these names. */
  async clearEngine(kept: readonly string[] = []): Promise<void> {
    const { docker } = this.engine;
    // the engine may still be starting or removing a container of a process that was killed
    for (let left = await this.#containers(); left.length > 0; left = await this.#containers())
      await Promise.all(
        left.map(({ Id }) =>
          docker
            .getContainer(Id)
            .remove({ force: true })
            .catch(() => undefined),
        ),
      );
    const volumes = (await this.volumes()).filter((name) => !kept.includes(name));
    for (const name of volumes) await docker.getVolume(name).remove({ force: true });
  }

  async #containers() {
    const filters = { label: [labels.owner] };
    const listed = await this.engine.docker.listContainers({ all: true, filters });
    return listed.filter(({ Labels }) => this.#owns(Labels));
  }

  async volumes(): Promise<string[]> {
    const filters = JSON.stringify({ label: [labels.owner] });
    const { Volumes } = await this.engine.docker.listVolumes({ filters });
    return Volumes.filter(({ Labels }) => this.#owns(Labels)).map(({ Name }) => Name);
  }

  #owns(of: Readonly<Record<string, string>> | null): boolean {
    return parseOwner(of?.[labels.owner])?.home === ownerOf(this.tilth.home).home;
  }

  async #sourceState(): Promise<string> {
    const inside = { cwd: this.source };
    const refs = await git(["for-each-ref"], inside);
    const config = await git(["config", "--local", "--list"], inside);
    const status = await git(["-c", "core.fsmonitor=false", "status", "--porcelain", "--ignored"], inside);
    const worktrees = await gitLine(["worktree", "list", "--porcelain"], inside);
    return [refs, config, status, worktrees].map(String).join("\n");
  }

  #writeSeed(tasks: number): void {
    mkdirSync(join(this.seed, "tests"), { recursive: true });
    const numbers = Array.from({ length: tasks }, (_, at) => at + 1);
    const prd = numbers.map((number) => ({
      id: `T-00${number}`,
      title: `Answer ${number}`,
      description: `A module pkg.m${number} with a function answer.`,
      acceptance_criteria: [`answer() gives ${number}`],
    }));
    writeFileSync(join(this.seed, "prd.json"), JSON.stringify(prd));
    for (const number of numbers)
      writeFileSync(
        join(this.seed, "tests", `test_t00${number}_answer.py`),
        `from pkg.m${number} import answer\n\n\ndef test_answer():\n    assert answer() == ${number}\n`,
      );
  }
}

/** The replies by which the worker does task `number` of the stage's seed. */
export function doing(number: number): readonly Turn[] {
  const covered = [{ criterion: "1", addressed_by: `pkg/m${number}.py:answer` }];
  const theCase = { summary: "It answers.", ac_coverage: covered, work_arounds: [], uncertainties: [] };
  const content = `def answer():\n    return ${number}\n`;
  return [{ calls: [["write_file", { path: `pkg/m${number}.py`, content }]] }, { calls: [["submit_case", theCase]] }];
}
