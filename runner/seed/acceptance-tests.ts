import type { Prd } from "../session/state/prd.js";
import { type SeedTest, testName } from "./seed.js";
import { SeedProblem, spelling } from "./seed-problem.js";

const mostNameCharacters = 100;
export const mostTestBytes = 1024 * 1024;

/** Checks that each task has exactly one test file and no others exist; returns them in the order of the tasks. */
export function checkTests(prd: Prd, files: ReadonlyMap<string, string>): readonly SeedTest[] {
  const ids = new Set(prd.map((task) => task.id));
  const byTask = new Map<string, SeedTest>();
  for (const [name, source] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const taskId = taskOf(name);
    if (!ids.has(taskId)) throw new SeedProblem(`tests/${name} belongs to no task: the prd has no ${taskId}`);
    const other = byTask.get(taskId);
    if (other) throw new SeedProblem(`${taskId} has two tests, ${other.name} and ${name}; it needs exactly one`);
    if (Buffer.byteLength(source) > mostTestBytes) throw new SeedProblem(`tests/${name} is larger than 1 MB`);
    if (source.startsWith("\ufeff"))
      throw new SeedProblem(`tests/${name} begins with a byte order mark; save it as UTF-8 without one`);
    if (source.trim() === "")
      throw new SeedProblem(`tests/${name} is empty; ${taskId} needs a test that fails until it is done`);
    byTask.set(taskId, { taskId, name, path: `tests/${name}`, source });
  }
  return prd.map((task) => {
    const test = byTask.get(task.id);
    if (test) return test;
    throw new SeedProblem(`${task.id} has no test: tests/test_t${task.id.slice("T-".length)}_<slug>.py is missing`);
  });
}

function taskOf(name: string): string {
  if (name.length > mostNameCharacters)
    throw new SeedProblem(
      `the test file ${JSON.stringify(`${name.slice(0, 30)}…`)} has a name of over ${mostNameCharacters} characters`,
    );
  const number = testName.exec(name)?.[1];
  if (number !== undefined) return `T-${number}`;
  throw new SeedProblem(
    `the test file ${JSON.stringify(name)}${spelling(name)} must be named test_t<NNN>_<slug>.py: the task's number, then a-z, 0-9 and _`,
  );
}
