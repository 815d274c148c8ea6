import type { Prd, Task } from "../session/prd.js";
import type { SeedNotes } from "../session/seed-meta.js";
import { counted } from "../text/counted.js";

/** A seed that passed the sink. */
export interface Seed {
  /** every status is pending */
  readonly prd: Prd;
  /** in the order of the tasks, one each */
  readonly tests: readonly SeedTest[];
  readonly notes: SeedNotes;
}

export interface SeedTest {
  readonly taskId: Task["id"];
  /** bare file name */
  readonly name: string;
  /** repo-relative */
  readonly path: string;
  readonly source: string;
}

export const testName = /^test_t(\d{3,})_[a-z0-9_]+\.py$/;

/** The id of the task whose test stands at a path. */
export function taskOfTest(path: string): string {
  const number = testName.exec(path.slice(path.lastIndexOf("/") + 1))?.[1];
  return number === undefined ? "no task" : `T-${number}`;
}

/** Behind it no task could come whose number is one. */
export const highestNumber = 999_999_999;

/** The highest number that a seed's tests of earlier sessions have taken in a tree, 0 when there is none. */
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
