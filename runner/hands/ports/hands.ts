import type { Checks } from "./checks/checks.js";
import type { Clerk } from "./clerk.js";
import type { BuiltEnvironment } from "./environment.js";
import type { Receipt, Work } from "./work.js";

/**
 * Everything that touches the bytes of a repository. One `Hands` serves one session and one worktree.
 * No container is used before it has proved its isolation; a failed proof throws NotIsolated.
 * Contract of every method: it takes a signal and fails with Interrupted when that aborts, once everything it started
 * is dead. It fails with HandsLost when the container went away under the call while the provider still answers, and
 * with TilthError `infra` when the provider itself fails or does not answer. A mistake of a model or a repository is a
 * value, never an error.
 */
export interface Hands extends AsyncDisposable {
  readonly image: HandsImage;
  readonly clerk: Clerk;
  readonly work: Work;
  readonly checks: Checks;
  /**
   * Sets the project's environment: checks use it at once, the worker's container from its next `start`. Before the
   * first call there is none.
   */
  useEnvironment(environment: BuiltEnvironment | null): void;
  /** Sets the environment for checks alone, until one of the two is called again. */
  checkIn(environment: BuiltEnvironment | null): void;
  /**
   * Passes on receipts of isolation from containers of the clerk and of checks: each role's first, every later one that
   * differs, and first of all those so far. Null stops it. The worker's containers tell theirs when they start.
   */
  tellReceipts(tell: TellReceipt | null): void;
  /** Removes the session's repository as well; the containers are gone when this or disposal returns. */
  discard(): Promise<void>;
}

/** Must throw NotIsolated when the receipt has not passed. */
export type TellReceipt = (role: string, receipt: Receipt) => void;

export interface HandsImage {
  /** an id that says nothing of itself, such as `sha256:…` */
  readonly id: string;
  readonly recipe: string;
  readonly runtime: string;
  /** operating system, architecture and Python */
  readonly platform: string;
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
