/** Limits on one change, on the worktree, and on a base commit. */
export interface ClerkLimits {
  readonly changedFiles: number;
  readonly changedBytes: number;
  readonly depth: number;
  readonly pathBytes: number;
  /** entries of the worktree, ignored ones included */
  readonly worktreeEntries: number;
  /** names with all folders above, and link targets, counted twice: once from the walk and once from git */
  readonly worktreeNames: number;
  readonly lookSeconds: number;
  /** the same once the session stops: there must be time for the steps after it */
  readonly lastLookSeconds: number;
  /** disk the worktree may take, ignored files included */
  readonly worktreeBytes: number;
  readonly baseEntries: number;
  readonly baseBytes: number;
}

export function clerkLimits(diskBytes: number): ClerkLimits {
  return {
    changedFiles: 20_000,
    changedBytes: 200 * 1024 * 1024,
    depth: 100,
    pathBytes: 4_000,
    worktreeEntries: 600_000,
    worktreeNames: 256 * 1024 * 1024,
    lookSeconds: 120,
    lastLookSeconds: 20,
    worktreeBytes: diskBytes,
    baseEntries: 500_000,
    baseBytes: diskBytes,
  };
}
