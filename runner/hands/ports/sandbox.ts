import type { Receipt } from "./work.js";

export type SandboxRole = "work" | "clerk" | "check" | "read" | "build";

export interface CallOptions {
  readonly signal: AbortSignal;
  /** the brain's own limit; where an operation takes one, `args` holds the runner's as well */
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
