import { z } from "zod";
import { listOf } from "../../../text/bounded-json.js";
import { betrayals } from "../../ports/checks/pytest.js";
import { count, givenTexts, shape, strictShape, words } from "./shape.js";

const repo = z.string();
const tree = z.string();
const root = z.string();
const nothing = z.array(z.unknown()).max(0).readonly();

const source = shape("Source", { path: z.string(), source: z.string() });
const canary = shape("Canary", { path: z.string(), source: z.string(), id: z.string() });
const paths = strictShape("Paths", { paths: words });

const judgeReport = strictShape("JudgeReport", {
  expected: listOf(strictShape("ExpectedTest", { id: z.string(), many: z.boolean(), count: count.optional() })),
  changes: listOf(
    strictShape("JudgeFileChange", {
      path: z.string(),
      table: z.string().nullable(),
      what: z.enum(["changed", "added", "deleted", "shadows", "unreadable_code"]).meta({ id: "Offence" }),
      allowed: z.boolean(),
      remedy: z.string(),
    }),
  ),
  notes: words,
  findings: listOf(
    strictShape("ScanFinding", {
      path: z.string(),
      line: count,
      rule: z.string(),
      kind: z.enum(["forges", "smells"]).meta({ id: "FindingKind" }),
      why: z.string(),
      excused: z.boolean(),
    }),
  ),
});

const stagedReport = strictShape("StagedReport", {
  facts: listOf(
    strictShape("StagedFacts", {
      path: z.string(),
      problem: z.string(),
      tests: listOf(
        strictShape("StagedFunction", {
          id: z.string(),
          keep_green: z.string().nullable(),
          always_left_out: z.boolean(),
          left_out_ids: words,
          asserts: z.boolean(),
          surely_asserts: z.enum(["itself", "somewhere"]).meta({ id: "Sureness" }).nullable(),
          criteria: listOf(count),
        }),
      ),
      assertions: listOf(
        strictShape("AssertionSite", { id: z.string(), test: z.string().nullable(), unfair: z.string().nullable() }),
      ),
    }),
  ),
  declared: listOf(strictShape("DeclaredModule", { module: z.string(), requirement: z.string() })),
});

const ruffRulesReport = strictShape("RuffRulesReport", {
  configured: z.boolean(),
  selects: z.boolean(),
  more: words,
  ignored: words,
  ruff: strictShape("RuffProgram", { program: z.string(), version: z.string(), own: z.boolean() }),
});

const hunk = z.tuple([count, count, count, count]);
const olderReport = strictShape("OlderReport", {
  same: words,
  changed: z.array(strictShape("ChangedFile", { path: z.string(), hunks: z.array(hunk) })),
});

const differingReport = strictShape("DifferingReport", {
  files: z.array(
    strictShape("DifferingFile", { path: z.string(), what: z.enum(["changed", "deleted"]), touched: z.boolean() }),
  ),
  added: words,
});

/** The fields of a test run's report beside what proves that the run itself wrote it. */
export const runReport = strictShape("RunReport", {
  finished: z.boolean(),
  results: listOf(
    strictShape("TestResult", {
      id: z.string(),
      outcome: z.enum(["passed", "failed", "error", "skipped", "xfailed", "xpassed"]).meta({ id: "TestOutcome" }),
      text: z.string(),
    }),
  ),
  collect_errors: listOf(strictShape("CollectError", { path: z.string(), reason: z.string(), text: z.string() })),
  /** modules that neither image nor tree has */
  missing: words,
  /** options of the project that are left out, and those that nothing serves */
  dropped: words,
  unserved: words,
  installed_in: z.enum(["environment", "image"]).meta({ id: "InstalledIn" }),
  /** assertions by the test that reached them */
  reached: z.record(z.string(), words),
  /** files of data that were read */
  opened: words,
  ground: listOf(
    strictShape("GroundChange", {
      kind: z.enum(["replaced", "planted", "rewritten", "rewritten_by_tests"]).meta({ id: "GroundKind" }),
      what: z.string(),
      where: z.string(),
    }),
  ),
  found: z.array(
    strictShape("Betrayal", {
      site: z.string(),
      test: z.string(),
      why: z.enum(betrayals).meta({ id: "BetrayalKind" }),
      by: words,
    }),
  ),
  agreed: z.array(strictShape("Agreement", { site: z.string(), test: z.string(), by: words })),
  given: z.record(z.string(), words),
});

/** The report of the process that ran the tests; no other process can write it unless it knows the nonce. */
export const pytestReport = strictShape("PytestReport", { nonce: z.string(), exit: z.int(), ...runReport.shape });
export type RawPytest = z.infer<typeof pytestReport>;

const missedTests = { not_run: words, broken_off: words, in_code: words, rewritten: words };

/** A run of the project's own tests sends this in a line before its report. */
export const suiteLine = strictShape("SuiteLine", { nonce: z.string(), ...missedTests });

/** Messages between the resident and that process, each after its length: a request comes with its input, and two
 * descriptors for its report and its output. */
export const zygoteMessages = {
  ready: shape("ZygoteReady", { ready: z.literal(true) }),
  header: shape("ZygoteHeader", { payload: z.unknown(), input_len: count }),
  end: shape("ZygoteEnd", { exit: z.int().nullable(), signal: z.int().nullable(), ms: z.number() }),
} as const;

/** Everything that can be asked of the process that checks fork from: its answer to most is the report itself. */
export const checkRequests = {
  judge: {
    do: "judge",
    payload: shape("JudgePayload", { repo, last: tree, tree, base: tree }),
    input: shape("JudgeInput", {
      staged: z.array(shape("JudgedTest", { ...source.shape, judging: z.boolean() })).readonly(),
      text: z.string(),
      opened: givenTexts,
      accepted: givenTexts,
    }),
    report: judgeReport,
  },
  lines: {
    do: "lines",
    payload: shape("LinesPayload", { root }),
    input: z.array(z.tuple([z.string(), count]).readonly()).readonly(),
    report: strictShape("LinesReport", { lines: words }),
  },
  unchanged: {
    do: "unchanged",
    payload: shape("UnchangedPayload", { repo, base: tree, tree }),
    input: givenTexts,
    report: paths,
  },
  staged: {
    do: "staged",
    payload: shape("StagedPayload", { repo, tree: tree.nullable() }),
    input: shape("StagedInput", { files: z.array(source).readonly() }),
    report: stagedReport,
  },
  ruff_rules: {
    do: "ruff_rules",
    payload: shape("RuffRulesPayload", { repo, base: tree }),
    input: nothing,
    report: ruffRulesReport,
  },
  older: {
    do: "older",
    payload: shape("OlderPayload", { repo, base: tree, tree, root }),
    input: givenTexts,
    report: olderReport,
  },
  differing: {
    do: "differing",
    payload: shape("DifferingPayload", { repo, root, tree, last: tree }),
    input: nothing,
    report: differingReport,
  },
  touched: {
    do: "touched",
    payload: shape("TouchedPayload", { repo, tree }),
    input: shape("TouchedInput", { changed: givenTexts, files: givenTexts }),
    report: paths,
  },
  bodies: {
    do: "bodies",
    payload: shape("BodiesPayload", { repo }),
    input: z.array(shape("FileOfTree", { tree, path: z.string() })).readonly(),
    report: strictShape("BodiesReport", {
      files: z.array(strictShape("FileBodies", { functions: z.record(z.string(), z.string()) })),
    }),
  },
} as const;

/** Requests that run code of the project. */
export const testRuns = {
  pytest: {
    do: "pytest",
    payload: shape("PytestPayload", {
      files: givenTexts,
      canary,
      nonce: z.string(),
      watch: z.boolean(),
      /** no test shall find these three: the process forgets them once it has read them */
      falsify: z.record(z.string(), z.string()).readonly().optional(),
      mode: z.enum(["", "told", "changed", "asked", "reordered", "again"]).optional(),
      ground: givenTexts.optional(),
    }),
    input: shape("PytestInput", { sources: z.record(z.string(), z.string()).readonly() }),
    report: pytestReport,
  },
  suite: {
    do: "suite",
    payload: shape("SuitePayload", { canary, nonce: z.string(), seconds: z.number() }),
    input: shape("SuiteInput", { files: givenTexts, left_out: givenTexts }),
    report: pytestReport,
  },
} as const;
