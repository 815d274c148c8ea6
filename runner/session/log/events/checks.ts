import { z } from "zod";
import { count, event, inTask, maybeInTask, ms, oid } from "./fields.js";
import { baseSuiteFields, suiteRunFields } from "./suite.js";

export const checkResultSchema = z.strictObject({
  name: z.string(),
  passed: z.boolean(),
  reason: z.string().nullable().describe("why it did not pass, one word such as test_failed, timeout or check_died"),
  output: z.string(),
  ms,
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** Cases as they were read, and what tests say of a tree. */
export const checkEvents = {
  case_parse_error: event(
    "A case was malformed or left out a criterion; the worker was told, and nothing was checked.",
    { ...inTask, error: z.string(), raw: z.string() },
  ),
  seed_test_not_red: event("Staged tests passed before the work on their task began.", {
    ...maybeInTask,
    tests: z.array(z.string()),
  }),
  red_check: event("Staged tests were run on the tree before the task's work: for each test, why it failed.", {
    ...maybeInTask,
    tree: oid,
    at: z.enum(["staging", "task"]),
    tests: z.record(z.string(), z.string()).describe("test id to the reason why it failed"),
    opened: z.array(z.string()).describe("files below `tests/` that the run read; they count as judge files"),
  }),
  counter_check: event("The staged tests were run again with their assertions made false.", {
    ...inTask,
    tree: oid,
    passed: z.boolean(),
    reached: count.describe("how many assertions were made false and reached"),
    caught: z
      .array(z.string())
      .describe(
        "assertions that prove nothing, with their tests; in brackets how a value gave itself away, else the tests passed although the assertion was false",
      ),
    failed_again: z
      .string()
      .optional()
      .describe("how the tests ended where they passed once and then, with nothing made false, did not"),
    left_out: z.array(z.string()).describe("assertions that were not tried, each with the reason"),
  }),
  base_suite: event(
    "The project's own tests were run on a tree that no task has changed yet, or changed environment of: which are held.",
    { ...maybeInTask, ...baseSuiteFields },
  ),
  suite_run: event("The project's own tests, as the last accepted tree has them, were run on a submitted tree.", {
    ...inTask,
    ...suiteRunFields,
  }),
  check_run: event("A tree was checked. Written once for each submit that reached a check.", {
    ...inTask,
    tree: oid,
    image: z.string(),
    passed: z.boolean(),
    checks: z.array(checkResultSchema),
    expected: z.array(z.string()).describe("ids of the tests that had to pass"),
    seen: z.array(z.strictObject({ id: z.string(), outcome: z.string() })),
    integrity_notes: z.array(z.string()).describe("what was noticed about files that judge; shown to the evaluator"),
    ms,
  }),
};
