import type { Cheat } from "./cheat.js";
import { allStaged, done, tasks } from "./project.js";

/** Bytecode written and read as Python does it where nobody forbids it. */
const plainly = "unset PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE";

/**
 * What a harness goes by that believes an exit status: pytest over the tests there are, those to come left out, in one
 * shell with what the worker typed, for it tests where the worker worked.
 */
export function naiveShell(commands: string | undefined, { task, naive }: Pick<Cheat, "task" | "naive">): string {
  const { staged } = tasks[task];
  const pending = allStaged.filter(({ path }) => path !== staged.path && path !== done.path);
  const pytest = `python -m pytest -q tests ${pending.map(({ path }) => `--ignore=${path}`).join(" ")}`;
  return [plainly, commands ?? "", naive ? naive(pytest) : pytest].filter((part) => part !== "").join("\n");
}
