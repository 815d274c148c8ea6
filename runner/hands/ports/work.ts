import { TilthError } from "../../base/errors.js";
import type { CommitId } from "../../base/ids.js";
import type { RuffRules } from "./checks/ruff.js";
import type { Answer, Reading } from "./reading.js";

export interface ReceiptItem {
  readonly name: string;
  readonly passed: boolean;
  readonly seen: string;
}

export interface Receipt {
  readonly passed: boolean;
  readonly items: readonly ReceiptItem[];
  /** limits that are discarded where it runs, and so were not compared */
  readonly leftOut: readonly string[];
  /** hosts that it may reach, as a person wrote them */
  readonly openTo: readonly string[];
}

/** The container failed its proof of isolation and was ended before anybody used it. */
export class NotIsolated extends TilthError {
  constructor(
    readonly role: string,
    readonly receipt: Receipt,
  ) {
    const failed = receipt.items.filter(({ passed }) => !passed).map(({ name, seen }) => `${name} (${seen})`);
    super(
      "infra",
      `the ${role} container is not isolated: ${failed.join("; ")}`,
      "see what tilth doctor finds; nothing of the repository has run or been read in it",
    );
  }
}

/** Returns the receipt of a start that failed its proof. */
export function receiptOf(error: unknown): Receipt {
  if (error instanceof NotIsolated) return error.receipt;
  throw error;
}

export interface CommandResult {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** stdout and stderr as they came, head and tail kept */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** bytes between head and tail that were counted and dropped */
  readonly omitted: number;
  /** processes that outlived the command and had to be killed */
  readonly killed: readonly string[];
  /** null while there is room on the disk and the worktree stays within its share */
  readonly full: DiskFull | null;
  /** hosts with ports that it tried to reach and that nobody has allowed */
  readonly refusedHosts: readonly string[];
  readonly ms: number;
}

export interface DiskFull {
  /** too little room on the disk, too few files can still be made on it, or more than the worktree's share is used */
  readonly what: "space" | "files" | "share";
  /** the command was killed for it, as for a time-out */
  readonly stopped: boolean;
  /** bytes */
  readonly free: number;
  readonly largest: readonly { readonly path: string; readonly bytes: number }[];
  /** large files of the command that were removed, because without any room nothing could go on */
  readonly removed: readonly string[];
}

/** The container of the worker's tools. Hostile from the first command; produces no verdict and no commit. */
export interface Work extends Reading {
  /** It went away since it was started; every call then fails with HandsLost until `start` has made it anew. */
  readonly isLost: boolean;
  /** It went away only because this process was held up. */
  readonly endedAsleep: boolean;
  /** True when it has the environment that is in use now; otherwise `start` makes a new container. */
  readonly isCurrent: boolean;
  /** Starts the container, or a new one after a loss; throws NotIsolated when it cannot prove its isolation. */
  start(signal: AbortSignal): Promise<Receipt>;
  /** Wipes /tmp, home, shared memory and scratch git, and points scratch HEAD and index at `commit`. */
  beginTask(commit: CommitId, signal: AbortSignal): Promise<void>;
  bash(command: string, timeoutMs: number, signal: AbortSignal): Promise<CommandResult>;
  /** On return the container was seen without processes, so nobody changes the worktree. */
  quiet(signal: AbortSignal): Promise<void>;
  /** On return the container is seen gone, for good, whatever ran in it. */
  end(): Promise<void>;
  /** `lint` asks for ruff's findings in the same round trip. */
  writeFile(
    request: { path: string; content: Uint8Array; lint: LintRequest | null },
    signal: AbortSignal,
  ): Promise<Answer<EditResult>>;
  editFile(
    request: { path: string; oldString: string; newString: string; maxBytes: number; lint: LintRequest | null },
    signal: AbortSignal,
  ): Promise<Answer<EditResult>>;
}

export interface LintRequest {
  readonly rules: RuffRules;
  readonly timeoutMs: number;
}

export interface EditResult {
  readonly bytes: number;
  /** repo-relative path of the written file */
  readonly path: string;
  /** ruff's output: null when no lint was asked for or ruff does not check the file, "" when clean */
  readonly lint: string | null;
  readonly lintMs: number;
}
