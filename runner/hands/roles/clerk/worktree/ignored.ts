import type { ScanTools } from "./scanned.js";
import type { RawPath } from "./worktree-walk.js";

/** Returns those of `paths` that git's ignore rules leave out. */
export async function ignoredAmong(
  paths: readonly RawPath[],
  { shell, limits, signal }: ScanTools,
): Promise<ReadonlySet<RawPath>> {
  const asked = paths.filter((path) => path !== "");
  if (asked.length === 0) return new Set();
  const stdin = Buffer.from(asked.map((path) => `${path}\0`).join(""), "latin1");
  // the exit status tells whether it found any, or is 128 for a path that git refuses: then none counts as ignored
  const run = { signal, stdin, timeoutMs: limits.lookSeconds * 1000 };
  const { stdout } = await shell.attemptGit(["check-ignore", "-z", "--stdin"], run);
  return new Set(stdout.toString("latin1").split("\0"));
}
