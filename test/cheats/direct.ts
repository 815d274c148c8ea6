import type { ContainerChecks } from "../../runner/hands/roles/check/checks.js";
import { CheckWorld } from "../helpers/check-world.js";
import { checksIn } from "../helpers/shared-checks.js";
import type { Row } from "./catalogue.js";
import type { Written } from "./cheat.js";
import { CheatJudge, type Judged } from "./judge.js";
import { naiveShell } from "./naive.js";
import { base, tasks } from "./project.js";

interface Believed {
  readonly exit: number;
  readonly output: string;
}

const timeoutMs = 60_000;
/** added to a cheat's own text, because the scanner asks for names as they resolve */
const excuses = "_exit os._exit atexit pytest _pytest json.dumps sys.modules";

/**
 * Judges cheats and their twins over trees of files, in a container they share. The effect of commands shows only in a
 * session.
 */
export class DirectWorld implements AsyncDisposable {
  private constructor(
    private readonly world: CheckWorld,
    private readonly checks: ContainerChecks,
    private readonly judge: CheatJudge,
  ) {}

  /** `environment`: the folder that is mounted as the environment */
  static async open(environment: string | null = null): Promise<DirectWorld> {
    const world = await CheckWorld.open(environment);
    const checks = checksIn(world);
    return new DirectWorld(world, checks, new CheatJudge(checks, await world.tree(base)));
  }

  async naively(row: Pick<Row, "task" | "files" | "commands" | "naive">): Promise<Believed> {
    const tree = await this.world.tree(row.files ?? {}, base);
    return this.world.naively(tree, ["bash", "-c", naiveShell(row.commands, row)]);
  }

  async cheat(row: Pick<Row, "task" | "files" | "commands" | "timeoutMs">): Promise<Judged | null> {
    return row.commands === undefined ? this.#judged(row, row.files ?? {}, "") : null;
  }

  async twin(row: Row): Promise<Judged | null> {
    const { files = {}, commands, text = "" } = row.twin;
    return commands === undefined ? this.#judged({ task: row.task }, files, text) : null;
  }

  /**
   * Judges with a task text that names everything the cheat does, which excuses it from the scanner, to try the gates
   * behind that.
   */
  unscanned(row: Row): Promise<Judged> {
    const files = row.files ?? {};
    return this.#judged(row, files, [excuses, ...Object.values(files).map(String)].join("\n"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.checks[Symbol.asyncDispose]();
    await this.world[Symbol.asyncDispose]();
  }

  async #judged(row: Pick<Row, "task" | "timeoutMs">, files: Written, more: string): Promise<Judged> {
    const task = tasks[row.task];
    const tree = await this.world.tree(files, base);
    const text = `${task.text}\n${more}`;
    return this.judge.judge({ task, tree, files, text, timeoutMs: row.timeoutMs ?? timeoutMs });
  }
}
