import type { Prd, Task } from "../session/state/prd.js";
import type { SeedNotes } from "../session/state/seed-meta.js";
import { counted } from "../text/counted.js";

/** A seed that passed the sink. */
export interface Seed {
  /** every status is pending */
  readonly prd: Prd;
  /** one per task, in the order of the tasks */
  readonly tests: readonly SeedTest[];
  readonly notes: SeedNotes;
}

export interface SeedTest {
  readonly taskId: Task["id"];
  /** bare file name */
  readonly name: string;
  /** path in the repository */
  readonly path: string;
  readonly source: string;
}

export const testName = /^test_t(\d{3,})_[a-z0-9_]+\.py$/;

/** Returns the id of the task that a test path belongs to. */
export function taskOfTest(path: string): string {
  const number = testName.exec(path.slice(path.lastIndexOf("/") + 1))?.[1];
  return number === undefined ? "no task" : `T-${number}`;
}

/**
 * The highest usable task number. Tests in the base with a higher one are ignored, because no task could come after
 * them.
 */
export const highestNumber = 999_999_999;

/** The highest number that tests of earlier seeds have in a tree, 0 if there are none. */
export function highestTestNumber(paths: Iterable<string>): number {
  let highest = 0;
  for (const path of paths) {
    const number = /^tests\/test_t(\d{3,})_/.exec(path)?.[1];
    if (number !== undefined && Number(number) <= highestNumber) highest = Math.max(highest, Number(number));
  }
  return highest;
}

export function seedCommitMessage(tasks: number, tests: number): string {
  return `seed: ${counted(tasks, "task")} + ${counted(tests, "acceptance test")}`;
}
