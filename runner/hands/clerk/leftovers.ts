import { executesOnOrdinaryActions } from "../../support/executing-files.js";
import type { ClerkShell } from "./clerk-shell.js";
import { ignoredAmong } from "./ignored.js";
import { foldersOf, type IndexStatus, parentOf } from "./index-status.js";
import type { ClerkLimits } from "./limits.js";
import { repositoryShapes } from "./repository-shapes.js";
import { lookAtWorktree } from "./worktree-look.js";
import { type RawPath, shown, type Walk } from "./worktree-walk.js";

/** for a tree 100 is the end; what a person may walk into lies as deep as it likes */
const deepestSeen = 10_000;

const suffix = ".tilth-disabled";

/**
 * Best effort: what is another user's, or gone by now, stops nothing. Folders are opened one by one on the way down, and
 * everything from the folder it lies in, for a path may be longer than any program takes.
 */
const disarmScript = `
  find . -path ./.git -prune -o -type d ! -perm -0700 -execdir chmod u+rwx {} \\; || :
  find . -mindepth 1 -path ./.git -prune -o -perm /7000 \\( -type f -o -type d \\) -execdir chmod a-st {} + || :
  find . -mindepth 1 -path ./.git -prune -o \\( -type p -o -type s -o -type b -o -type c \\) -execdir rm -f {} + || :`;

const emptyScript = `
  find . -path ./.git -prune -o -type d ! -perm -0700 -execdir chmod u+rwx {} \\;
  find . -mindepth 1 ! -path ./.git -delete`;

/** Renames what is listed on its input; names that are gone or taken are passed over, and the renamed are listed. */
const renameProgram = `
import os, sys
for path in sys.stdin.buffer.read().split(b"\\0"):
    if path and os.path.lexists(path) and not os.path.lexists(path + b"${suffix}"):
        os.rename(path, path + b"${suffix}")
        sys.stdout.buffer.write(path + b"\\0")
`;

export async function emptyWorktree(shell: ClerkShell, signal: AbortSignal): Promise<void> {
  await shell.script("emptying the worktree", emptyScript, { signal });
}

export interface Left {
  readonly renamed: readonly string[];
  readonly executes: readonly string[];
}

/** The index must hold the last accepted tree. */
export async function defuse(
  shell: ClerkShell,
  { limits, signal }: { limits: ClerkLimits; signal: AbortSignal },
): Promise<Left> {
  await shell.script("disarming the worktree", disarmScript, { signal });
  const look = { limits: { ...limits, depth: deepestSeen }, index: null, signal };
  const { walk, status } = await lookAtWorktree(shell, look);
  const renamed = await renameGitConfigs(shell, liveConfigs(walk, status), signal);
  const executes = [...walk.entries.keys()].filter((path) => isNew(path, status) && executesOnOrdinaryActions(path));
  const ignored = await ignoredAmong(executes, { shell, signal });
  return {
    renamed: renamed.map(shown),
    executes: executes
      .filter((path) => !ignored.has(path))
      .map(shown)
      .sort(),
  };
}

function isNew(path: RawPath, { cached, touched }: IndexStatus): boolean {
  return !cached.has(path) || touched.has(path);
}

/** Config and hooks of every repository that was not in the last accepted tree as it is. */
function liveConfigs(walk: Walk, status: IndexStatus): RawPath[] {
  const { gitEntries, gitDirs } = repositoryShapes(walk);
  const paths = [...walk.entries.keys()];
  const changed = foldersOf(paths.filter((path) => isNew(path, status)));
  const isFolder = (path: RawPath) => walk.entries.get(path)?.type === "d";
  const live = new Set([...gitEntries.filter(isFolder), ...gitDirs.filter((folder) => changed.has(folder))]);
  const configs = paths.filter(
    (path) => /\/(?:config|config\.worktree|hooks)$/i.test(path) && live.has(parentOf(path)),
  );
  // a .git that is a file or a link points at a repository wherever it may lie
  return [...configs, ...gitEntries.filter((path) => !isFolder(path))];
}

async function renameGitConfigs(shell: ClerkShell, paths: readonly RawPath[], signal: AbortSignal): Promise<RawPath[]> {
  if (paths.length === 0) return [];
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const { stdout } = await shell.attempt(["/opt/tilth/python", "-I", "-S", "-c", renameProgram], { signal, stdin });
  return stdout
    .toString("latin1")
    .split("\0")
    .filter((path) => path !== "");
}
