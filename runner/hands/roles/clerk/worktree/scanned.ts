import type { ClerkShell } from "../shell/clerk-shell.js";
import type { ClerkLimits } from "../shell/limits.js";
import type { IndexStatus } from "./index-status.js";
import type { RawPath, Walk } from "./worktree-walk.js";

export interface WorktreeScan {
  readonly walk: Walk;
  readonly status: IndexStatus;
  readonly additions: readonly RawPath[];
}

export interface ScanTools {
  readonly shell: ClerkShell;
  readonly limits: ClerkLimits;
  readonly signal: AbortSignal;
}
