import type { TreeId } from "../base/ids.js";

export interface CheckRequest {
  /** what is judged */
  readonly tree: TreeId;
  /** the last accepted tree: what must still be in force */
  readonly last: TreeId;
  /** staged tests of the current task and of every done task: the ones that must pass */
  readonly staged: readonly StagedTest[];
  /** staged tests of every task, pending ones too: what they load under tests/ is a judge file */
  readonly allStaged: readonly StagedTest[];
  /** what is known of `staged` from their sources alone */
  readonly facts: readonly StagedFacts[];
  /** ids that ran when the current task's test was found red: they have to turn up again */
  readonly ranRed: readonly string[];
  /** paths that the red check saw being read: judge files like what is imported */
  readonly opened: readonly string[];
  /** test files (`test_*.py`, `*_test.py`) this task added or changed, staged ones aside; run in a process of their own */
  readonly added: readonly string[];
  /** what the last accepted tree has of `added`, and what was moved from elsewhere */
  readonly changed: readonly string[];
  /** title, description and criteria of the task: what it may replace by naming it */
  readonly taskText: string;
  readonly timeoutMs: number;
  /**
   * The session base, and the texts of the tasks accepted since: what a conftest comes to load judges only as the base
   * has it, or where one of these tasks named it.
   */
  readonly since: { readonly base: TreeId; readonly taskTexts: readonly string[] };
}

export interface StagedTest {
  readonly path: string;
  readonly source: string;
}

/** What a staged file says of itself, told where no project code is present: the same for every tree. */
export interface StagedFacts {
  readonly path: string;
  /** why it cannot be run at all, e.g. a syntax error; "" when it can */
  readonly problem: string;
  /** test functions by id, parametrisation left out (`path::Class::test_name`); with their first line */
  readonly tests: readonly StagedFunction[];
  /** every assertion of the file, and of the helpers under tests/ that it loads, in the order they stand */
  readonly assertions: readonly AssertionSite[];
}

export interface StagedFunction {
  readonly id: string;
  /** says `keep-green:` in its own docstring or its module's: the reason given there; null for all others */
  readonly keepGreen: string | null;
  /** a skip or xfail mark of the file holds whatever the project is */
  readonly alwaysLeftOut: boolean;
  /** ids of single sets of its parameters that bear such a mark */
  readonly leftOutIds?: readonly string[];
  /** has an assertion in its own body, its nested functions included, or calls a helper under tests/ that has one */
  readonly asserts: boolean;
  /** whichever way a run takes that ends well, it has passed an assertion of its own body, or one of a helper's */
  readonly surelyAsserts?: "itself" | "somewhere" | null;
  /** numbers of the criteria that its name or docstring names (`AC1`, `ac_2`) */
  readonly criteria: readonly number[];
}

export interface AssertionSite {
  /** `path:line:column` of the assertion */
  readonly id: string;
  /** the test function it stands in; null in a helper or fixture */
  readonly test: string | null;
  /** null when it can be made false fairly; else why not, e.g. "inside try" */
  readonly unfair: string | null;
}

/** What the check container reports; `runner/checks` makes the verdict of it. */
export interface CheckReport {
  readonly judgeFiles: readonly JudgeFileChange[];
  /** what the change adds that could forge a verdict, or smells of it; one that forges fails the tree before anything runs */
  readonly findings: readonly ScanFinding[];
  readonly integrityNotes: readonly string[];
  /** files of the tree that were others once something that judges it had run */
  readonly rewritten: readonly RewrittenFile[];
  /** null when judge files already failed the tree: nothing of it ran */
  readonly ruff: RuffReport | null;
  readonly pytest: PytestReport | null;
  /** the run over `added`; null when there were none */
  readonly own: PytestReport | null;
  /** the run over `changed` on the last accepted tree; null where nothing failed that could have failed there */
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
  /** the command that puts it back */
  readonly remedy: string;
}

export interface RewrittenFile {
  readonly by: "ruff" | "pytest" | "added_tests";
  readonly path: string;
  readonly what: "changed" | "deleted" | "added";
  /** the change that is judged touched it */
  readonly touched: boolean;
}

export interface ScanFinding {
  readonly path: string;
  readonly line: number;
  /** name of the entry in the scanner's list */
  readonly rule: string;
  readonly kind: "forges" | "smells";
  /** one sentence: what it is and why it matters */
  readonly why: string;
  /** the task's own text names the construct, so it is noted and not refused */
  readonly excused: boolean;
}

/** How ruff is called in a session. */
export interface RuffRules {
  /** the project's own ruff, or the image's */
  readonly program: string;
  readonly args: readonly string[];
  /** a sentence for people where the project's configuration cannot be used; null where it can, or there is none */
  readonly refused: string | null;
}

export interface RuffReport {
  readonly exit: number | null;
  readonly timedOut: boolean;
  readonly findings: readonly RuffFinding[];
  readonly older: OlderFindings;
  /** what it said when it could not run at all */
  readonly problem: string;
  readonly ms: number;
}

/** The findings that the same files had before the session, under the configuration of the tree. */
export interface OlderFindings {
  /** files that are as the base has them */
  readonly same: readonly string[];
  readonly changed: readonly ChangedFile[];
  /** in the base's version of `changed` */
  readonly findings: readonly RuffFinding[];
}

export interface ChangedFile {
  readonly path: string;
  readonly hunks: readonly Hunk[];
}

/** Lines that were replaced and those that stand there now; after their first line where there are none. */
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
  /** ids the staged files' syntax trees ask for; `many` where only running them would tell how the ids end */
  readonly expected: readonly ExpectedTest[];
  readonly results: readonly TestResult[];
  /** errors of collection, per file */
  readonly collectErrors: readonly { readonly path: string; readonly reason: string; readonly text: string }[];
  /** the report carried the nonce of this run, the finished mark, and the canary as the one extra failure */
  readonly nonceSeen: boolean;
  readonly finished: boolean;
  readonly canaryFailed: boolean;
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** the process died without a report */
  readonly died: boolean;
  /** it ended without a report, after a value had agreed with whatever it was held against or while one was asked */
  readonly betrayed?: boolean;
  /** modules that a test or conftest wanted and nothing in image or tree provides */
  readonly missingModules: readonly string[];
  /** options of the project's addopts that were left out, or that nothing can serve */
  readonly droppedOptions: readonly string[];
  readonly unservedOptions: readonly string[];
  /** whose packages it ran with: the project's environment, or the image's own where there is none */
  readonly installedIn: InstalledIn;
  /** sites of `AssertionSite` that were reached, by the id of the test that reached them ("" during collection) */
  readonly reached: Readonly<Record<string, readonly string[]>>;
  /** files of the tree below tests/ that were opened for reading, where that was asked for */
  readonly opened: readonly string[];
  /** what the tests stand on and found changed, where staged files were run */
  readonly ground: readonly GroundChange[];
  /** values that gave themselves away, where that was asked for */
  readonly betrayals: readonly (Agreement & { readonly why: Betrayal })[];
  /** values that agreed although the assertion was false */
  readonly agreed: readonly Agreement[];
  /** marks of the values that were held against what is expected, by "path:line<tab>test", in the order they came */
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
  /** the file that what stands there now comes from, "" where nothing tells */
  readonly where: string;
  /** `where` is as the session's base has it, so no task of this session did it */
  readonly known: boolean;
}

export interface ExpectedTest {
  readonly id: string;
  readonly many: boolean;
  /** how many ids begin like this one, where the syntax tree tells it */
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
  /** only read, for their facts */
  readonly read: readonly StagedTest[];
  /** for each file by itself */
  readonly timeoutMs: number;
  /** told after each file how many of `run` are done */
  readonly onRun?: (done: number) => void;
  /** the project's own tests run on the same tree next, and may do so in the same container */
  readonly thenSuite?: boolean;
}

export interface RedReport {
  /** of `run` and `read`, in that order */
  readonly facts: readonly StagedFacts[];
  /** one for each of `run`, up to the first that did not end in time */
  readonly runs: readonly { readonly path: string; readonly pytest: PytestReport }[];
  /** what the tree declares as dependencies, by the names of the modules that they bring */
  readonly declared: readonly { readonly module: string; readonly requirement: string }[];
}

export interface CounterRequest {
  readonly tree: TreeId;
  /** as in the run that passed: the same files in the same order */
  readonly staged: readonly StagedTest[];
  /** ids of AssertionSite to make false, the most important ones first */
  readonly sites: readonly string[];
  /** as the run that passed tells it: each site is made false in every test that reached it */
  readonly reached: PytestReport["reached"];
  /** of the task and of those accepted since the base: they may ask for values that agree with everything */
  readonly taskTexts?: readonly string[];
  /** for all of them together */
  readonly budgetMs: number;
}

/** How a value gave itself away while nothing was made false. */
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
  /** null where the tests passed although the assertion was false */
  readonly why: Betrayal | null;
}

export interface CounterReport {
  /** sites whose falsehood was reached by a test */
  readonly reached: readonly string[];
  /** assertions that prove nothing, with the tests in which that was seen */
  readonly caught: readonly Caught[];
  /** sites that were not judged, and why */
  readonly leftOut: readonly { readonly site: string; readonly why: string }[];
  /** how the tests ended where, with nothing made false, they did not pass another time; null where they did */
  readonly failedAgain: string | null;
  readonly ms: number;
}

export interface SuiteRun {
  readonly tree: TreeId;
  /** test files; null for all that the project's configuration collects */
  readonly files: readonly string[] | null;
  /** paths of staged tests: they are no tests of the project's own */
  readonly leftOut: readonly string[];
  /** a test that still runs then is broken off, and what comes after it is not run */
  readonly budgetMs: number;
  readonly onProgress?: (done: number, of: number) => void;
}

export interface SuiteReport extends PytestReport {
  /** ids there was no time for */
  readonly notRun: readonly string[];
  /** the id that was running when the time was over */
  readonly brokenOff: readonly string[];
  /** files that hold no test but the examples of their docstrings */
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
  /** Gives those of `files` that lead to a changed path by what they import, or all where that cannot be told. Runs nothing. */
  touched(
    of: { readonly tree: TreeId; readonly changed: readonly string[]; readonly files: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** For each file the functions in it, each with a sum that is the same for the same body under another name. */
  bodies(files: readonly FileOfTree[], signal: AbortSignal): Promise<readonly Readonly<Record<string, string>>[]>;
}

/** Judges trees, each in a fresh container that held nothing of the project before. */
export interface Checks {
  /** Starts a container ahead, so that the next `run` finds it warm. Never fails; a lost one is made again. */
  prepare(): void;
  /** Fails with HandsLost when the container died twice on this tree. */
  run(request: CheckRequest, signal: AbortSignal): Promise<CheckReport>;
  /** What staged files are, and what becomes of them on a tree that is not to satisfy them yet. Fails as `run` does. */
  red(request: RedRequest, signal: AbortSignal): Promise<RedReport>;
  /**
   * Runs the staged files again, in each run one assertion of a test made false, on a fresh tree that tells nothing of
   * what runs. After a `run` of the same tree it goes on in that run's container, as long as the tests pass in it again;
   * else each run has its own. A lost container is replaced; an assertion that lost it twice is left out. A `red` of that
   * tree, accepted by then, may go on in it as well.
   */
  counter(request: CounterRequest, signal: AbortSignal): Promise<CounterReport>;
  /**
   * A place to run the project's own tests in, made when it is first used: the container of the last `run` or kept `red`
   * of `tree`, else one of its own. What follows on that tree goes on in it, unless another tree ran in it meanwhile.
   */
  suite(tree?: TreeId): SuiteBench;
  /** How ruff is called for trees that come of `base`; found out once for each. */
  ruffRules(base: TreeId, signal: AbortSignal): Promise<RuffRules>;
  /** ruff findings of files that are in no tree yet: staged tests, with the pinned rules. */
  lintFiles(files: readonly StagedTest[], signal: AbortSignal): Promise<RuffReport>;
}
