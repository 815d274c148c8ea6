import type { TreeId } from "../../base/ids.js";

export interface CheckRequest {
  /** the tree to judge */
  readonly tree: TreeId;
  /** the last accepted tree: its judge files must still be in force */
  readonly last: TreeId;
  /** staged tests of the current task and of every done task: the ones that must pass */
  readonly staged: readonly StagedTest[];
  /** staged tests of every task, pending ones too: any file they load under tests/ is a judge file */
  readonly allStaged: readonly StagedTest[];
  /** facts about `staged` from their sources alone */
  readonly facts: readonly StagedFacts[];
  /** ids that ran when the current task's test was found red: they must turn up again */
  readonly ranRed: readonly string[];
  /** paths that the red check saw being read: they are judge files like imported ones */
  readonly opened: readonly string[];
  /**
   * test files (`test_*.py`, `*_test.py`) this task added or changed, except staged ones; run in a process of their own
   */
  readonly added: readonly string[];
  /** the files of `added` that the last accepted tree has, and those moved from elsewhere */
  readonly changed: readonly string[];
  /** title, description and criteria of the task, which may replace things by naming them */
  readonly taskText: string;
  readonly timeoutMs: number;
  /**
   * The session base, and the texts of the tasks accepted since. A file that a conftest comes to load judges only as
   * the base has it, or when one of these tasks named it.
   */
  readonly since: { readonly base: TreeId; readonly taskTexts: readonly string[] };
}

export interface StagedTest {
  readonly path: string;
  readonly source: string;
}

/** Facts that a staged file's source tells, read where no project code is present: the same for every tree. */
export interface StagedFacts {
  readonly path: string;
  /** the reason that it cannot be run at all, e.g. a syntax error; "" when it can */
  readonly problem: string;
  /** test functions by id, parametrisation left out (`path::Class::test_name`) */
  readonly tests: readonly StagedFunction[];
  /** every assertion of the file, and of the helpers under tests/ that it loads, in source order */
  readonly assertions: readonly AssertionSite[];
}

export interface StagedFunction {
  readonly id: string;
  /** the reason after `keep-green:` in its own docstring or its module's; null without one */
  readonly keepGreen: string | null;
  /** a skip or xfail mark of the file applies whatever the project is */
  readonly alwaysLeftOut: boolean;
  /** ids of those of its parameter sets that have such a mark */
  readonly leftOutIds?: readonly string[];
  /** has an assertion in its own body, its nested functions included, or calls a helper under tests/ that has one */
  readonly asserts: boolean;
  /** on every path that ends well, a run passes an assertion of its own body, or one of a helper's */
  readonly surelyAsserts?: "itself" | "somewhere" | null;
  /** numbers of the criteria that its name or docstring names (`AC1`, `ac_2`) */
  readonly criteria: readonly number[];
}

export interface AssertionSite {
  /** `path:line:column` of the assertion */
  readonly id: string;
  /** the test function that holds it; null in a helper or fixture */
  readonly test: string | null;
  /** null when it can be made false fairly; else the reason, e.g. "inside try" */
  readonly unfair: string | null;
}

/** The report of a check container; `runner/checks` turns it into a verdict. */
export interface CheckReport {
  readonly judgeFiles: readonly JudgeFileChange[];
  /** additions that could forge a verdict, or are suspicious; a forging one fails the tree before anything runs */
  readonly findings: readonly ScanFinding[];
  readonly integrityNotes: readonly string[];
  /** files of the tree that differed after ruff or a test run */
  readonly rewritten: readonly RewrittenFile[];
  /** null when judge files or scan findings already failed the tree: nothing of it ran */
  readonly ruff: RuffReport | null;
  readonly pytest: PytestReport | null;
  /** the run over `added`; null when `added` is empty or nothing ran */
  readonly own: PytestReport | null;
  /** the run over `changed` on the last accepted tree; null when nothing failed that could have failed there */
  readonly ownBefore: PytestReport | null;
  readonly ms: number;
}

export interface JudgeFileChange {
  readonly path: string;
  /** the judging table in a shared file, or null */
  readonly table: string | null;
  readonly what: "changed" | "added" | "deleted" | "shadows" | "unreadable_code";
  /** the task's text names it, so it may take effect */
  readonly allowed: boolean;
  /** the command that restores the file */
  readonly remedy: string;
}

export interface RewrittenFile {
  readonly by: "ruff" | "pytest" | "added_tests";
  readonly path: string;
  readonly what: "changed" | "deleted" | "added";
  /** the judged change touched it as well */
  readonly touched: boolean;
}

export interface ScanFinding {
  readonly path: string;
  readonly line: number;
  /** name of the entry in the scanner's list */
  readonly rule: string;
  readonly kind: "forges" | "smells";
  /** one sentence that says what it is and why it matters */
  readonly why: string;
  /** the task's own text names the construct, so it is noted and not refused */
  readonly excused: boolean;
}

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

export interface RedRequest {
  /** the last accepted tree: it holds the staged files and nothing that solves them */
  readonly tree: TreeId;
  /** each is run in a process of its own on a fresh copy of the tree */
  readonly run: readonly StagedTest[];
  /** only read for their facts */
  readonly read: readonly StagedTest[];
  /** for each file */
  readonly timeoutMs: number;
  /** called after each file with the number of `run` that are done */
  readonly onRun?: (done: number) => void;
  /** the project's own tests run on the same tree next, and may use the same container */
  readonly thenSuite?: boolean;
}

export interface RedReport {
  /** facts of `run` and `read`, in that order */
  readonly facts: readonly StagedFacts[];
  /** one for each of `run`, up to the first that did not end in time */
  readonly runs: readonly { readonly path: string; readonly pytest: PytestReport }[];
  /** declared dependencies of the tree, by the names of the modules that they bring */
  readonly declared: readonly { readonly module: string; readonly requirement: string }[];
}

export interface CounterRequest {
  readonly tree: TreeId;
  /** the same files in the same order as in the run that passed */
  readonly staged: readonly StagedTest[];
  /** ids of AssertionSite to make false, the most important ones first */
  readonly sites: readonly string[];
  /** from the run that passed: each site is made false in every test that reached it */
  readonly reached: PytestReport["reached"];
  /** texts of the task and of those accepted since the base: they may ask for values that agree with everything */
  readonly taskTexts?: readonly string[];
  /** for all runs together */
  readonly budgetMs: number;
}

/** The ways in which a value gave itself away while nothing was made false. */
export const betrayals = ["looked_up", "hangs_on_tests", "agrees_with_all", "takes_everything", "counted_off"] as const;
export type Betrayal = (typeof betrayals)[number];

export interface Agreement {
  readonly site: string;
  readonly test: string;
  /** names of the project's classes that decide what agrees */
  readonly by: readonly string[];
}

export interface Caught {
  readonly site: string;
  readonly tests: readonly string[];
  /** null when the tests passed although the assertion was false */
  readonly why: Betrayal | null;
}

export interface CounterReport {
  /** sites that a test reached while they were false */
  readonly reached: readonly string[];
  /** assertions that prove nothing, with the tests that showed it */
  readonly caught: readonly Caught[];
  /** sites that were not judged, and why */
  readonly leftOut: readonly { readonly site: string; readonly why: string }[];
  /** the failures of tests that did not pass a second time with nothing made false; null when they passed */
  readonly failedAgain: string | null;
  readonly ms: number;
}

export interface SuiteRun {
  readonly tree: TreeId;
  /** test files; null runs all that the project's configuration collects */
  readonly files: readonly string[] | null;
  /** paths of staged tests, which are not the project's own */
  readonly leftOut: readonly string[];
  /** a test that still runs then is broken off, and later ones are not run */
  readonly budgetMs: number;
  readonly onProgress?: (done: number, of: number) => void;
}

export interface SuiteReport extends PytestReport {
  /** ids for which there was no time */
  readonly notRun: readonly string[];
  /** the id that was running when the time was over */
  readonly brokenOff: readonly string[];
  /** files whose only tests are the examples of their docstrings */
  readonly inCode: readonly string[];
  /** test files, and modules beside them, that were changed while the tests were imported */
  readonly rewritten: readonly string[];
}

export interface FileOfTree {
  readonly tree: TreeId;
  readonly path: string;
}

/**
 * One container for runs of the project's own tests, on a fresh tree each. A run that loses its container gets another;
 * one that loses that too reports that it died.
 */
export interface SuiteBench extends AsyncDisposable {
  run(run: SuiteRun, signal: AbortSignal): Promise<SuiteReport>;
  /** Returns those of `files` whose imports lead to a changed path, or all when that cannot be told. Runs nothing. */
  touched(
    of: { readonly tree: TreeId; readonly changed: readonly string[]; readonly files: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Returns the functions of each file, each with a sum that depends on the body and not on the name. */
  bodies(files: readonly FileOfTree[], signal: AbortSignal): Promise<readonly Readonly<Record<string, string>>[]>;
}

/** Judges trees, each in a fresh container that held nothing of the project before. */
export interface Checks {
  /** Starts a container ahead, so that the next `run` finds it warm. Never fails; a lost one is made again. */
  prepare(): void;
  /** Fails with HandsLost when the container died twice on this tree. */
  run(request: CheckRequest, signal: AbortSignal): Promise<CheckReport>;
  /** Reads the facts of staged files, and runs them on a tree that need not satisfy them yet. Fails as `run` does. */
  red(request: RedRequest, signal: AbortSignal): Promise<RedReport>;
  /**
   * Runs the staged files again, each time with one assertion of a test made false, on a fresh tree that does not tell
   * which. After a `run` of the same tree it goes on in that run's container, as long as the tests pass in it again;
   * else each run has its own. It may also go on after a `red` of a tree that was accepted meanwhile. A lost container
   * is replaced; an assertion that lost it twice is left out.
   */
  counter(request: CounterRequest, signal: AbortSignal): Promise<CounterReport>;
  /**
   * Returns a place for runs of the project's own tests, made when it is first used: the container of the last `run` or
   * kept `red` of `tree`, else a new one. Later steps on that tree go on in it, unless another tree ran in it
   * meanwhile.
   */
  suite(tree?: TreeId): SuiteBench;
  /** Finds out how to call ruff for trees that descend from `base`, once for each base. */
  ruffRules(base: TreeId, signal: AbortSignal): Promise<RuffRules>;
  /** Returns ruff findings of files that are in no tree yet: staged tests, with the pinned rules. */
  lintFiles(files: readonly StagedTest[], signal: AbortSignal): Promise<RuffReport>;
}
