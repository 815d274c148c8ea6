/** The way to call ruff in a session. */
export interface RuffRules {
  /** the project's own ruff, or the image's */
  readonly program: string;
  readonly args: readonly string[];
  /** a sentence for people when the project's configuration cannot be used; null when it can, or there is none */
  readonly refused: string | null;
}

export interface RuffReport {
  readonly exit: number | null;
  readonly timedOut: boolean;
  readonly findings: readonly RuffFinding[];
  readonly older: OlderFindings;
  /** ruff's message when it could not run at all */
  readonly problem: string;
  readonly ms: number;
}

/** The findings that the same files had before the session, under the configuration of the tree. */
export interface OlderFindings {
  /** files that equal the base's */
  readonly same: readonly string[];
  readonly changed: readonly ChangedFile[];
  /** findings in the base's version of `changed` */
  readonly findings: readonly RuffFinding[];
}

export interface ChangedFile {
  readonly path: string;
  readonly hunks: readonly Hunk[];
}

/** Lines that were replaced, and the lines there now; a side without lines gives the line before the gap. */
export type Hunk = readonly [before: number, howMany: number, now: number, howManyNow: number];

export interface RuffFinding {
  readonly path: string;
  readonly rule: string;
  readonly line: number;
  readonly lineText: string;
  readonly message: string;
}
