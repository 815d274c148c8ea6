import { pathFromBytes } from "../shell/path-names.js";

/** A path below the worktree's root, with one character per byte (latin1). */
export type RawPath = string;

export interface WalkEntry {
  /** a letter of find's %y: f, d, l, p, s, b, c */
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly target: string;
}

/** A reason that no tree can be made; the path "" is the worktree as a whole. */
export interface Problem {
  readonly path: RawPath;
  readonly why: string;
}

export interface Walk {
  readonly entries: ReadonlyMap<RawPath, WalkEntry>;
  readonly diskBytes: number;
  /** reasons that the walk stopped or git was not asked; git's view of the worktree is then unknown */
  readonly obstacles: readonly Problem[];
}

export function shown(path: RawPath): string {
  return pathFromBytes(Buffer.from(path, "latin1"));
}
