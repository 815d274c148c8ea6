import type { TreeId } from "../../../base/ids.js";
import type { CounterReport, CounterRequest } from "./counter.js";
import type { PytestReport } from "./pytest.js";
import type { RuffReport, RuffRules } from "./ruff.js";
import type { StagedFacts, StagedTest } from "./staged.js";
import type { SuiteRuns } from "./suite.js";

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
  suite(tree?: TreeId): SuiteRuns;
  /** Finds out how to call ruff for trees that descend from `base`, once for each base. */
  ruffRules(base: TreeId, signal: AbortSignal): Promise<RuffRules>;
  /** Returns ruff findings of files that are in no tree yet: staged tests, with the pinned rules. */
  lintFiles(files: readonly StagedTest[], signal: AbortSignal): Promise<RuffReport>;
}
