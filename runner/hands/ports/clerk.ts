import type { CommitId, TreeId } from "../../base/ids.js";

export interface Change {
  readonly status: "added" | "modified" | "deleted" | "type_changed";
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
  readonly oldOid: string;
}

export type Snapshot =
  | {
      readonly ok: true;
      readonly tree: TreeId;
      readonly changes: readonly Change[];
      /** untracked files that ignore rules or the built-in list left out, new since the last snapshot */
      readonly leftOut: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly { readonly path: string; readonly why: string }[] };

export interface Diff {
  /** renames are not followed, binaries are one line with sizes and hashes; cut at maxBytes, with a mark */
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
  /** for a diff that was cut: its largest changes first; no lines for a binary */
  readonly largest: readonly { readonly path: string; readonly lines: number | null }[];
}

/** A diff that may be shown to somebody who decides. */
export type WholeDiff = Diff & { readonly truncated: false };

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
  readonly size: number;
}

export interface NewCommit {
  readonly tree: TreeId;
  readonly parent: CommitId;
  readonly message: string;
  readonly author: Person;
  readonly committer: Person;
  readonly date: Date;
}

/** Leftovers of a stopped session in its worktree. */
export interface Leftovers {
  readonly renamed: readonly string[];
  readonly executes: readonly string[];
  readonly problem: string | null;
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Runs git and nothing else, on the session's private repository, and never while a process of the worker lives. */
export interface Clerk {
  /** Starts the container and clears stale locks; true when the repository already holds all of `commit`. */
  open(commit: CommitId, signal: AbortSignal): Promise<boolean>;
  /** Takes in a pack made by the host; refuses a pack that breaks the caps or fails a check with TilthError `usage`. */
  takePack(pack: AsyncIterable<Uint8Array>, tip: CommitId, signal: AbortSignal): Promise<void>;
  /** Makes the worktree hold exactly the files of `commit`; only for a worktree that is empty or to be overwritten. */
  materialise(commit: CommitId, signal: AbortSignal): Promise<void>;
  /** Puts `files` into `tree` and returns the new tree; used for seeds. */
  treeWith(tree: TreeId, files: readonly { path: string; content: Uint8Array }[], signal: AbortSignal): Promise<TreeId>;
  /** Returns `tree` with `paths` as `other` has them: paths that `other` lacks are left out. */
  mixed(tree: TreeId, other: TreeId, paths: readonly string[], signal: AbortSignal): Promise<TreeId>;
  treeOf(commit: CommitId, signal: AbortSignal): Promise<TreeId>;
  /** Tells whether the repository has all of `tree`. */
  holds(tree: TreeId, signal: AbortSignal): Promise<boolean>;
  /** Makes the tree of the worktree that a submit presents, the strict check included. */
  snapshot(last: TreeId, signal: AbortSignal): Promise<Snapshot>;
  changes(from: TreeId, to: TreeId, signal: AbortSignal): Promise<readonly Change[]>;
  diff(from: TreeId, to: TreeId, maxBytes: number, signal: AbortSignal): Promise<Diff>;
  list(tree: TreeId, signal: AbortSignal): Promise<readonly TreeEntry[]>;
  /** Returns null when there is no regular file at `path`. */
  blob(tree: TreeId, path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null>;
  /** Returns the bytes of a blob by its id; null when the repository has no such blob, or a larger one. */
  content(blob: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null>;
  commit(commit: NewCommit, signal: AbortSignal): Promise<CommitId>;
  /** Packs the objects of `commit` that `base` does not have. */
  pack(commit: CommitId, base: CommitId, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Returns the worktree against `last` as a patch, best effort and bounded; unreadable parts are listed at its top.
   */
  partialPatch(last: TreeId, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * Makes a stopped session's worktree harmless: strips setuid and setgid bits, devices, FIFOs and sockets, renames
   * config and hooks of anything that git takes for a repository (`renamed`), and lists files that execute on ordinary
   * actions (`executes`); `problem` says why that list may be incomplete. TilthError `infra` when something could not
   * be made harmless.
   */
  defuse(last: TreeId, signal: AbortSignal): Promise<Leftovers>;
  /** Empties the worktree except for `.git`, so that the host may remove it. */
  empty(signal: AbortSignal): Promise<void>;
}
