/** Kinds of trouble; the command line maps each to its exit code. */
export type ErrorCode =
  /** 2: the call, a setting, a file or the machine is not as it must be; nothing was changed */
  | "usage"
  /** 3: another process holds the session */
  | "busy"
  /** 5: the provider of hands, the endpoint, the disk or git failed under a run; the work is kept */
  | "infra"
  /** 5: the provider refused the key, the account or the model (401, 402, 403, 404) */
  | "provider_denied"
  /** 5: somebody else moved the session's branch */
  | "branch_moved";

/**
 * The world is not ready. The message says what could not be done and to what; the hint is the one thing to do about
 * it.
 */
export class TilthError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TilthError";
    this.code = code;
    this.hint = hint;
  }
}

/** The person pressed Ctrl-C, closed the terminal or sent SIGTERM. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
    this.name = "Interrupted";
  }
}
