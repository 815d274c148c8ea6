import type { TreeId } from "../../../base/ids.js";
import type { Betrayal, PytestReport } from "./pytest.js";
import type { StagedTest } from "./staged.js";

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
