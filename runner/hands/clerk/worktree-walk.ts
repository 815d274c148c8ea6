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

export interface Walk {
  readonly entries: ReadonlyMap<RawPath, WalkEntry>;
  readonly diskBytes: number;
  /** it went on: more entries than the limit */
  readonly tooMany: boolean;
}

export function shown(path: RawPath): string {
  return pathFromBytes(Buffer.from(path, "latin1"));
}
