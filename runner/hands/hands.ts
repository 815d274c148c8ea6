import type { Checks } from "./checks-port.js";
import type { Clerk } from "./clerk-port.js";
import type { BuiltEnvironment } from "./environment-port.js";
import type { Receipt, Work } from "./work-port.js";

/**
 * Everything that touches the bytes of a repository. One `Hands` serves one session and one worktree.
 *
 * A container of any role is used by nobody before it has proved its isolation; else NotIsolated.
 *
 * Contract of every method: it takes a signal and fails with Interrupted when that aborts, after what it started is
 * dead. It fails with HandsLost when the container went away under the call while the engine still answers, and with
 * TilthError `infra` when the engine itself fails or does not answer. What a model or a repository did wrong is a value,
 * never an error.
 */
export interface Hands extends AsyncDisposable {
  readonly image: HandsImage;
  readonly clerk: Clerk;
  readonly work: Work;
  readonly checks: Checks;
  /**
   * The project's environment from now on: checks have it at once, a container of the worker from its next `start`. None
   * before it was called.
   */
  useEnvironment(environment: BuiltEnvironment | null): void;
  /** For checks alone, until one of the two is called again. */
  checkIn(environment: BuiltEnvironment | null): void;
  /**
   * Tells what containers of the clerk and of checks showed of their isolation: each role's first, every other that
   * showed something else, and before them what was shown so far. Null: no more. The worker's tell it when they start.
   */
  tellReceipts(tell: TellReceipt | null): void;
  /** Removes the session's repository volume as well; the containers are gone when this or disposal returns. */
  discard(): Promise<void>;
}

/** Fails with NotIsolated where the receipt has not passed. */
export type TellReceipt = (role: string, receipt: Receipt) => void;

export interface HandsImage {
  /** the engine's id, `sha256:…` */
  readonly id: string;
  readonly recipe: string;
  readonly runtime: string;
  /** one line each, for prompts: Python version and tools */
  readonly tools: readonly string[];
}

export class HandsLost extends Error {
  readonly role: string;
  /** it ended by itself because this process was stopped, or on a machine that slept: nobody is to blame */
  readonly asleep: boolean;

  constructor(role: string, message: string, { cause, asleep = false }: { cause?: unknown; asleep?: boolean } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HandsLost";
    this.role = role;
    this.asleep = asleep;
  }
}
