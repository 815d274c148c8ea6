import type { StagedTest } from "../hands/hands.js";
import type { Prd, Task } from "../session/prd.js";

/** The acceptance tests as staged, each with its task. */
export class SeedTests {
  readonly #byNumber: ReadonlyMap<string, StagedTest>;

  /** `files`: source by bare file name, as the session keeps them */
  constructor(files: ReadonlyMap<string, string>) {
    this.#byNumber = new Map(
      [...files].map(([name, source]) => [numberIn(name), { path: `tests/${name}`, source }] as const),
    );
  }

  of(task: Pick<Task, "id">): StagedTest {
    const found = this.#byNumber.get(task.id.slice("T-".length));
    if (!found) throw new Error(`no acceptance test is staged for ${task.id}`);
    return found;
  }

  all(prd: Prd): readonly StagedTest[] {
    return prd.map((task) => this.of(task));
  }

  /** Those a submit of `current` has to pass: its own first, then every done task's. */
  judging(current: Task, prd: Prd): readonly StagedTest[] {
    const done = prd.filter((task) => task.status === "done" && task.id !== current.id);
    return [current, ...done].map((task) => this.of(task));
  }
}

function numberIn(name: string): string {
  return /^test_t(\d+)_/.exec(name)?.[1] ?? name;
}
