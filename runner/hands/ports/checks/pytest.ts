export type InstalledIn = "environment" | "image";

export interface PytestReport {
  /** ids the staged files' syntax trees ask for; `many` when only a run tells how the ids end */
  readonly expected: readonly ExpectedTest[];
  readonly results: readonly TestResult[];
  /** errors of collection, per file */
  readonly collectErrors: readonly { readonly path: string; readonly reason: string; readonly text: string }[];
  /** the report carried this run's nonce, the mark of a finished session, and the canary as the one extra failure */
  readonly nonceSeen: boolean;
  readonly finished: boolean;
  readonly canaryFailed: boolean;
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** the process died without a report */
  readonly died: boolean;
  /**
   * it ended without a report, after a value agreed with everything it was compared with, or while one was questioned
   */
  readonly betrayed?: boolean;
  /** modules that a test or conftest wanted and that neither image nor tree provides */
  readonly missingModules: readonly string[];
  /** options of the project's addopts that were left out, or that nothing can serve */
  readonly droppedOptions: readonly string[];
  readonly unservedOptions: readonly string[];
  /** the packages it ran with: the project's environment, or the image's own when there is none */
  readonly installedIn: InstalledIn;
  /** ids of `AssertionSite` that were reached, by the id of the test that reached them ("" during collection) */
  readonly reached: Readonly<Record<string, readonly string[]>>;
  /** files of the tree below tests/ that were opened for reading, if the request asked for them */
  readonly opened: readonly string[];
  /** changes that the tests found in the code and files they rely on, when staged files were run */
  readonly ground: readonly GroundChange[];
  /** values that gave themselves away, if the request asked for them */
  readonly betrayals: readonly (Agreement & { readonly why: Betrayal })[];
  /** values that agreed although the assertion was false */
  readonly agreed: readonly Agreement[];
  /** marks of the values compared with expected ones, by "path:line<tab>test", in the order they came */
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly output: string;
  readonly ms: number;
}

export interface GroundChange {
  /**
   * `replaced`: an attribute of the library or of pytest; `planted`: a module that tests import from beside them;
   * `rewritten`: a file of the tests, before the first of them ran; `rewritten_by_tests`: after that
   */
  readonly kind: "replaced" | "planted" | "rewritten" | "rewritten_by_tests";
  /** its dotted name, or its path */
  readonly what: string;
  /** the file that the present content comes from; "" when nothing tells */
  readonly where: string;
  /** `where` is as in the session's base, so no task of this session did it */
  readonly known: boolean;
}

export interface ExpectedTest {
  readonly id: string;
  readonly many: boolean;
  /** number of ids that begin like this one, when the syntax tree tells it */
  readonly count?: number | undefined;
}

export interface TestResult {
  readonly id: string;
  readonly outcome: "passed" | "failed" | "error" | "skipped" | "xfailed" | "xpassed";
  readonly text: string;
}

/** The ways in which a value gave itself away while nothing was made false. */
export const betrayals = [
  "looked_up",
  "hangs_on_tests",
  "hangs_on_caller",
  "agrees_with_all",
  "takes_everything",
  "counted_off",
] as const;
export type Betrayal = (typeof betrayals)[number];

export interface Agreement {
  readonly site: string;
  readonly test: string;
  /** names of the project's classes that decide what agrees */
  readonly by: readonly string[];
}
