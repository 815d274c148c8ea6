import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Everything that a person's git may do to a repository while others work in it; a command that fails is tried again in
 * the next turn.
 */
const turns = [
  "git commit -q --allow-empty -m again",
  "git pack-refs --all --prune",
  "git gc -q --prune=now",
  "git commit -q --allow-empty -m again",
  "git repack -q -a -d",
  "git prune --expire=now",
  "git reflog expire --expire=now --expire-unreachable=now --all",
  "git pack-refs --all",
  "git worktree prune",
  "git worktree add -q --detach ../beside",
  "git worktree remove --force ../beside",
  "git commit-graph write --reachable",
  "git multi-pack-index write",
];

/** A person at work in the source, from now until disposal. */
export class Person implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(path: string, env: NodeJS.ProcessEnv = process.env) {
    const script = `while :; do ${turns.join("; ")}; done`;
    this.#child = spawn("bash", ["-c", script], { cwd: path, env, stdio: "ignore", detached: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "close");
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    await ended;
  }
}

/** Keeps every core busy. */
export class Load implements Disposable {
  readonly #children: readonly ChildProcess[];

  constructor(cores: number) {
    const busy = () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
    this.#children = Array.from({ length: cores }, busy);
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}
