import type { Cheat } from "./cheat.js";
import { allStaged, done, tasks } from "./project.js";

/** Python writes and reads bytecode, as it does unless somebody forbids it. */
const plainly = "unset PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE";

/**
 * The shell of a harness that believes an exit status: pytest over the present tests, without those of later tasks, in
 * the same shell as the worker's commands, because such a harness tests where the worker worked.
 */
export function naiveShell(commands: string | undefined, { task, naive }: Pick<Cheat, "task" | "naive">): string {
  const { staged } = tasks[task];
  const pending = allStaged.filter(({ path }) => path !== staged.path && path !== done.path);
  const pytest = `python -m pytest -q tests ${pending.map(({ path }) => `--ignore=${path}`).join(" ")}`;
  return [plainly, commands ?? "", naive ? naive(pytest) : pytest].filter((part) => part !== "").join("\n");
}
