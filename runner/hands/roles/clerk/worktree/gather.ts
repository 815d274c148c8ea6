import type { ClerkShell } from "../shell/clerk-shell.js";
import { foldersOf, type IndexStatus, parentOf } from "./index-status.js";
import { findProblems } from "./problems.js";
import { type LookOptions, lookAtWorktree } from "./worktree-look.js";
import type { Problem, RawPath, Walk } from "./worktree-walk.js";

/** The differences between the index and the worktree, before anything is added. */
export interface WorktreeChanges {
  readonly walk: Walk;
  readonly problems: readonly Problem[];
  readonly removals: readonly RawPath[];
  readonly additions: readonly RawPath[];
  /** folders (with a slash) and files that git leaves out */
  readonly leftOut: readonly RawPath[];
}

export async function gather(shell: ClerkShell, options: LookOptions): Promise<WorktreeChanges> {
  const { limits, signal } = options;
  const { walk, status } = await lookAtWorktree(shell, options);
  if (walk.obstacles.length > 0) return { walk, problems: walk.obstacles, removals: [], additions: [], leftOut: [] };
  const { removals, additions } = steps(walk, status);
  const problems = await findProblems({ walk, status, additions }, { shell, limits, signal });
  return { walk, problems, removals, additions, leftOut: leftOut(walk, status) };
}

/**
 * The walk decides what is there: git looks through a link in a folder's place, and calls the files behind it present.
 */
function steps(walk: Walk, { cached, touched, untracked }: IndexStatus) {
  const isFile = (path: RawPath) => /^[fl]$/.test(walk.entries.get(path)?.type ?? "");
  const stays = (path: RawPath, mode: string) =>
    isFile(path) || (mode === "160000" && walk.entries.get(path)?.type === "d");
  const removals = [...cached].filter(([path, mode]) => !stays(path, mode)).map(([path]) => path);
  const additions = [...touched, ...untracked].filter(isFile);
  return { removals, additions };
}

/** Names a folder in place of its files when git knows nothing in it. */
function leftOut(walk: Walk, { cached, untracked }: IndexStatus): RawPath[] {
  const known = foldersOf([...cached.keys(), ...untracked]);
  const tops = new Map<RawPath, RawPath | null>([["", null]]);
  const left = new Set<RawPath>();
  for (const [path, { type }] of walk.entries) {
    const folder = parentOf(path);
    const above = tops.get(folder) ?? null;
    if (type === "d") tops.set(path, above ?? (known.has(path) ? null : `${path}/`));
    else if (!cached.has(path) && !untracked.has(path)) left.add(above ?? path);
  }
  return [...left].sort();
}
