import { pathFromBytes } from "../path-names.js";

/** A path below the worktree's root: its bytes, one to a character (latin1). */
export type RawPath = string;

export interface WalkEntry {
  /** as find's %y: f, d, l, p, s, b, c */
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly target: string;
}

/** Why no tree can be made; the path "" is the worktree as a whole. */
export interface Problem {
  readonly path: RawPath;
  readonly why: string;
}

export interface Walk {
  readonly entries: ReadonlyMap<RawPath, WalkEntry>;
  readonly diskBytes: number;
  /** why it went no further, or why git was not asked; then nothing is known of what git makes of it */
  readonly obstacles: readonly Problem[];
}

export function shown(path: RawPath): string {
  return pathFromBytes(Buffer.from(path, "latin1"));
}
