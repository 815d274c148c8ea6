import { z } from "zod";
import { count, ms, oid } from "./fields.js";

/** The state of the project's own tests before any work. A test's name is its id without parameters. */
export const baseSuiteFields = {
  tree: oid,
  at: z.enum(["staging", "task"]),
  environment: z.string().nullable().describe("key of the environment they ran in; null for the image's own packages"),
  runs: count.describe("how often they were run: once more where that is short, to find those that are unstable"),
  passed: count,
  failed: count,
  unstable: count,
  skipped: count,
  held: z.record(z.string(), z.array(z.string())).describe("names of the tests that have to pass from now on, by file"),
  failing: z.array(z.string()).describe("ids, names or files that fail already, and are not held to"),
  unsteady: z.array(z.string()).describe("ids that passed in one run and not in the other, and are not held to"),
  left_out: z.array(z.string()).describe("ids that were skipped while others of the same test passed"),
  in_code: z.array(z.string()).describe("files whose tests are the examples in their docstrings"),
  not_run: z.array(z.string()).describe("files there was no time for; they run first next time"),
  problem: z.string().nullable().describe("why none of them can be held, in a sentence; null where they are"),
  ms,
};

/** The result of the project's own tests on a submitted tree. */
export const suiteRunFields = {
  tree: oid,
  last: oid.describe("the last accepted tree, whose tests they are"),
  passed: z.boolean().describe("nothing was found, or what was found is only told (`TILTH_SUITE=tell`)"),
  ran: count.describe("how many of the tests that are held ran"),
  failed: z.array(z.string()).describe("names of tests that passed before the change and do not pass now, or are gone"),
  changed: z
    .array(z.string())
    .describe("names of tests whose new version passes, and fails on the code as it was; the evaluator saw them"),
  gone: z.array(z.string()).describe("names of tests that may go: the task names them, or they stand elsewhere now"),
  rewritten: z
    .array(z.string())
    .describe("files that the change rewrites although their tests pass as they were; those are tried again later"),
  outdated: z
    .array(z.string())
    .describe("names of tests that fail as they were before an earlier task rewrote them; the evaluator saw them"),
  joined: z.array(z.string()).describe("ids or names of tests that are held from the commit on"),
  excused: z.array(z.string()).describe("names of tests that failed without the change as well, or once in two runs"),
  not_run: z.array(z.string()).describe("files there was no time for; they run first next time"),
  ms,
};
