import { TilthError } from "../../base/errors.js";
import type { StagedTest } from "../../hands/ports/checks/staged.js";
import type { Prd, Task } from "../../session/state/prd.js";

/** The acceptance tests as staged, each with its task. */
export class SeedTests {
  readonly #byTask: ReadonlyMap<string, StagedTest>;

  /** `files`: source by bare file name, as the session keeps them; TilthError `usage` if a task has no test */
  constructor(prd: Prd, files: ReadonlyMap<string, string>) {
    const byNumber = new Map([...files].map(([name, source]) => [numberIn(name), { path: `tests/${name}`, source }]));
    this.#byTask = new Map(prd.map(({ id }) => [id, byNumber.get(id.slice("T-".length)) ?? lost(id)]));
  }

  of({ id }: Pick<Task, "id">): StagedTest {
    return this.#byTask.get(id) ?? lost(id);
  }

  all(prd: Prd): readonly StagedTest[] {
    return prd.map((task) => this.of(task));
  }

  /** The tests that a submit of `current` has to pass: its own first, then those of done tasks, the latest first. */
  judging(current: Task, prd: Prd): readonly StagedTest[] {
    const done = prd.filter((task) => task.status === "done" && task.id !== current.id);
    return [current, ...done.reverse()].map((task) => this.of(task));
  }
}

function lost(id: string): never {
  throw new TilthError(
    "usage",
    `the session's seed folder has no acceptance test for ${id}`,
    "put it back (the branch's seed commit has it), or remove the session: tilth reset <id>",
  );
}

function numberIn(name: string): string {
  return /^test_t(\d+)_/.exec(name)?.[1] ?? name;
}
