import type { TreeId } from "../../../base/ids.js";
import type { PytestReport } from "./pytest.js";

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
export interface SuiteRuns extends AsyncDisposable {
  run(run: SuiteRun, signal: AbortSignal): Promise<SuiteReport>;
  /** Returns those of `files` whose imports lead to a changed path, or all when that cannot be told. Runs nothing. */
  touched(
    of: { readonly tree: TreeId; readonly changed: readonly string[]; readonly files: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Returns the functions of each file, each with a sum that depends on the body and not on the name. */
  bodies(files: readonly FileOfTree[], signal: AbortSignal): Promise<readonly Readonly<Record<string, string>>[]>;
}
