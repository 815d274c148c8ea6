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
