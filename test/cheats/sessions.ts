import { spawnSync } from "node:child_process";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { Play } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";
import type { Row } from "./catalogue.js";
import { source, tasks } from "./project.js";
import { playOf, seedTask } from "./session-rows.js";

/** One session over rows of the catalogue, with a scripted worker that cheats and an evaluator that accepts everything. */
export class CheatSession implements AsyncDisposable {
  private constructor(
    readonly world: SessionWorld,
    readonly files: SessionFiles,
    readonly end: RunEnd,
    readonly surprises: readonly string[],
    readonly log: readonly TilthEvent[],
  ) {}

  static async play(rows: readonly Row[]): Promise<CheatSession> {
    const play = new Play(Object.fromEntries(rows.map((row) => [tasks[row.task].id, playOf(row)])));
    const played = Object.values(tasks).filter(({ name }) => rows.some(({ task }) => task === name));
    const script = { worker: play.worker };
    const world = await SessionWorld.open({ files: source, tasks: played.map(seedTask), script });
    const files = await world.stage();
    const end = await world.run(files);
    return new CheatSession(world, files, end, play.surprises, await wholeLog(files));
  }

  /** The reasons for which the cheat was sent back, as the worker was told. */
  stopOf({ task, stoppedBy }: Row): string {
    const { id } = tasks[task];
    const answers = of(this.log, "tool_result").filter(({ task_id, tool }) => task_id === id && tool === "submit_case");
    const answer = answers[0]?.content ?? "";
    const reasons = [...answer.matchAll(/: failed \((\w+)\)/g)].map(([, reason]) => reason);
    return reasons.join(", ") || (/^Accepted/.test(answer) ? "" : (stoppedBy.at(0) ?? ""));
  }

  /** Paths in the task's commit that the honest twin does not have. */
  strayIn({ task, files = {}, twin }: Row): readonly string[] {
    const commit = of(this.log, "commit").find(({ task_id }) => task_id === tasks[task].id);
    if (!commit) return ["nothing was committed"];
    const changed = this.world.repo.git("diff-tree", "-r", "--name-only", "-z", commit.sha).split("\0").slice(1, -1);
    const honest = twin.files ?? {};
    return changed.filter((path) => (path in honest ? honest[path] !== this.#held(commit.sha, path) : path in files));
  }

  #held(sha: string, path: string): string | null {
    const { status, stdout } = spawnSync("git", ["show", `${sha}:${path}`], {
      cwd: this.world.repo.path,
      encoding: "utf8",
    });
    return status === 0 ? stdout : null;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]();
  }
}
