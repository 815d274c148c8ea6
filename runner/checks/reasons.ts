/** The reason that a check did not pass: the closed list of `reason` in a check's result. */
export type CheckReason =
  /** a file that judges the tree was changed, and the task does not name it */
  | "judge_files"
  /** ruff has findings that the session base did not have */
  | "lint"
  /** ruff could not run */
  | "lint_failed"
  /** ruff or a test changed the tree, so the judged tree is not the one that would be committed */
  | "tree_changed"
  | "timeout"
  /** the test process ended without its report */
  | "check_died"
  /** the report was not the one this run would have written */
  | "forged_report"
  /** pytest stopped before its session was over */
  | "not_finished"
  /** `addopts` asks for an option that no installed plugin serves */
  | "unserved_option"
  | "missing_module"
  | "collect_error"
  | "test_failed"
  | "test_missing"
  | "skipped"
  /** the change adds code that can forge a verdict */
  | "forges_verdict"
  /** a test passed without reaching any assertion it has */
  | "no_assertion_reached"
  /** the library, or a file that the tests bring along, was changed when they ran */
  | "ground_changed"
  /** a test passed although an assertion it reached was made false */
  | "counter_check"
  /** tests that had passed did not pass another time, with nothing made false */
  | "passed_once"
  /** tests of the project's own that passed before fail now, or are gone */
  | "own_tests"
  /** the test that has to fail did not fail */
  | "no_canary";
