/** What one change may hold, and what a base commit may. */
export interface ClerkLimits {
  readonly changedFiles: number;
  readonly changedBytes: number;
  readonly depth: number;
  readonly pathBytes: number;
  /** entries of the worktree, ignored ones included */
  readonly worktreeEntries: number;
  /** their names with all folders above, and where links lead, twice: as they stand there and as git knows them */
  readonly worktreeNames: number;
  readonly lookSeconds: number;
  /** the same once the session stops: there must be time for what comes after it */
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
