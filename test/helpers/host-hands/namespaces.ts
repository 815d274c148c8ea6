import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { TilthError } from "../../../runner/base/errors.js";

const run = promisify(execFile);
const program = "unshare";

/**
 * Gives the command that runs another one in namespaces of its own. The resident kills every process that it can see,
 * and counts on fixed paths, so it needs its own process ids, mounts and shared memory. Root may make those; anybody
 * else may as root of a user namespace.
 */
export function inNamespaces(...argv: readonly string[]): readonly [program: string, args: readonly string[]] {
  const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  return [program, [...asUser, "--mount", "--pid", "--ipc", "--fork", "--kill-child", ...argv]];
}

/** Throws TilthError `usage` where a process can have none. */
export async function requireNamespaces(): Promise<void> {
  await run(...inNamespaces("mount", "-t", "proc", "proc", "/proc")).catch((error: unknown) => {
    throw new TilthError(
      "usage",
      `a process of this host can have no namespaces of its own: ${String(error)}`,
      "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or run the tests as root",
    );
  });
}
