import type { Prd, Task } from "../session/state/prd.js";
import { oneLine } from "../text/sanitise.js";
import { highestNumber } from "./seed.js";
import { SeedProblem } from "./seed-problem.js";

/** The highest number among the tasks, 0 if there are none. */
export function highestTaskNumber(prd: Prd): number {
  return Math.max(0, ...prd.map(numberOf));
}

/** Checks that ids are unique, come after those in the base, and count up without gaps unless gaps are allowed. */
export function checkNumbering(prd: Prd, highestInBase: number, allowGaps: boolean): void {
  const seen = new Map<number, Task>();
  prd.forEach((task, index) => {
    const number = numberOf(task);
    checkUnique(task, seen.get(number));
    seen.set(number, task);
    if (number <= highestInBase) {
      const start = idOf(highestInBase + 1);
      throw new SeedProblem(
        `${task.id} is taken: the base has tests up to ${idOf(highestInBase)}, so new ids start at ${start}`,
      );
    }
    const expected = idOf(highestInBase + 1 + index);
    if (!allowGaps && task.id !== expected) {
      throw new SeedProblem(
        `task ${index + 1} of the prd must have the id ${expected}, not ${task.id}: ids count up without gaps`,
      );
    }
  });
}

function checkUnique(task: Task, other: Task | undefined): void {
  if (other === undefined) return;
  if (other.id === task.id) throw new SeedProblem(`${task.id} is in the prd twice; every task needs an id of its own`);
  throw new SeedProblem(`${task.id} and ${other.id} are the same number; every task needs one of its own`);
}

function numberOf(task: Task): number {
  const number = Number(task.id.slice("T-".length));
  if (number > 0 && number <= highestNumber) return number;
  throw new SeedProblem(
    `${oneLine(task.id, 40)} is not a usable number; ids count from T-001 to ${idOf(highestNumber)}`,
  );
}

export function idOf(number: number): string {
  return `T-${String(number).padStart(3, "0")}`;
}
