import type { HostPath } from "../../base/ids.js";
import type { Receipt } from "./work.js";

export type SandboxRole = "work" | "clerk" | "check" | "read" | "build";

/**
 * The view that each role has: of the host it sees the worktree, the source, or nothing; of a project's environments at
 * most one, named by the id that its provider has given it.
 */
export type RoleView =
  | { readonly role: "work"; readonly worktree: HostPath; readonly environment?: string | null }
  | { readonly role: "clerk"; readonly worktree: HostPath }
  | { readonly role: "check"; readonly environment?: string | null }
  | { readonly role: "build"; readonly environment: string }
  | ReadView;

export interface ReadView {
  readonly role: "read";
  readonly source: HostPath;
  /** `link` when `.git` leads to one of `gitFolders`, or to nowhere inside */
  readonly gitIs: "folder" | "file" | "link";
  /** other folders in the source that git uses, relative to it */
  readonly gitFolders?: readonly string[];
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** the brain's own limit; where an operation takes one, `args` holds the resident's as well */
  readonly timeoutMs: number;
  /** bytes that follow the call */
  readonly input?: Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * receives bytes that come before the result, awaited one by one. That is the back-pressure for every other call too,
   * so it must not wait for another call of the same channel
   */
  readonly onData?: (chunk: Uint8Array) => void | Promise<void>;
  /** more bytes than this break the protocol; each frame adds some, since collecting one costs memory */
  readonly mostBytes?: number;
}

/**
 * One container of one role, as everything above it sees it. Whoever has one has one that proved its isolation. A call
 * fails with HandsLost when the container went away while its provider answers, and with TilthError `infra` when the
 * provider does not. Once it is disposed, everything in it is dead.
 */
export interface Sandbox extends AsyncDisposable {
  readonly role: SandboxRole;
  /** the proof of isolation from its start */
  readonly receipt: Receipt;
  /** true once it has gone by itself; the next call would fail */
  readonly isLost: boolean;
  /** true when it went because this process was held up for longer than it waits */
  readonly endedAsleep: boolean;
  call(op: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Record<string, unknown>>;
}
