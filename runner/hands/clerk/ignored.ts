import type { ScanTools } from "./scanned.js";
import type { RawPath } from "./worktree-walk.js";

/** Those of `paths` that git's rules leave out. */
export async function ignoredAmong(
  paths: readonly RawPath[],
  { shell, limits, signal }: ScanTools,
): Promise<ReadonlySet<RawPath>> {
  const asked = paths.filter((path) => path !== "");
  if (asked.length === 0) return new Set();
  const stdin = Buffer.from(asked.map((path) => `${path}\0`).join(""), "latin1");
  // its exit status says whether it found any, and 128 when one cannot be asked about: then none counts as ignored
  const run = { signal, stdin, timeoutMs: limits.lookSeconds * 1000 };
  const { stdout } = await shell.attemptGit(["check-ignore", "-z", "--stdin"], run);
  return new Set(stdout.toString("latin1").split("\0"));
}
