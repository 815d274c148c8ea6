import { randomBytes } from "node:crypto";
import { pytestReport, type RawPytest, testRuns } from "../../../pipe/wire/check.js";
import type { ExpectedTest, PytestReport } from "../../../ports/checks/pytest.js";
import type { StagedTest } from "../../../ports/checks/staged.js";
import { reportAs } from "../containers/replies.js";
import type { Zygote, ZygoteEnd } from "../containers/zygote.js";
import { type Canary, hasFailed, isCanary, newCanary, withoutSecrets } from "./canary.js";

/** One assertion in one test that reaches it; the test is "" for an assertion reached while none runs. */
export interface Pair {
  readonly test: string;
  readonly site: string;
}

/** The assertions that are false in one run: at most one for each test. */
export type Variant = readonly Pair[];

/**
 * `told`: records which values are given where others are expected; `changed`: exchanges expected values wherever the
 * code could read them; `asked`: asks values plain questions; `reordered`: runs the tests backwards; `again`: runs one
 * test twice, the first time with an assertion made false.
 */
export type AskingMode = "told" | "changed" | "asked" | "reordered" | "again";

interface PytestRun {
  readonly files: readonly string[];
  readonly expected: readonly ExpectedTest[];
  /** the sources of `files`, whatever the disk holds by then: their assertions report when they are reached */
  readonly staged?: readonly StagedTest[];
  /** sites of `staged`, or of a helper, that are made false */
  readonly falsify?: Variant;
  /** the way in which compared values are questioned as well */
  readonly mode?: AskingMode;
  /** files below tests/ that judge beside `staged` and what they import */
  readonly data?: readonly string[];
  /** tells which files below tests/ are read */
  readonly watch?: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const mostMarks = 10_000;

export interface PytestOutcome {
  readonly report: PytestReport;
  /** processes that outlived the tests */
  readonly killed: readonly string[];
}

/** Runs pytest over `files` of the tree in /workspace, with all the proofs that an honest report must show. */
export async function runPytest(zygote: Zygote, run: PytestRun): Promise<PytestOutcome> {
  const nonce = randomBytes(16).toString("hex");
  const canary = newCanary(run.files[0] ?? "tests/none.py");
  const { files, watch = false, data = [], mode = "" as const } = run;
  const falsify = Object.fromEntries((run.falsify ?? []).map(({ test, site }) => [test, site]));
  const payload = { files, canary, nonce, watch, falsify, mode, ground: data };
  const input = { sources: Object.fromEntries((run.staged ?? []).map(({ path, source }) => [path, source])) };
  const end = await zygote.run(testRuns.pytest, { payload, input, timeoutMs: run.timeoutMs }, run.signal);
  return { report: reportOf(end, { nonce, canary, expected: run.expected }), killed: end.killed };
}

interface Proofs {
  readonly nonce: string;
  readonly canary: Canary;
  readonly expected: readonly ExpectedTest[];
}

export function reportOf(end: ZygoteEnd, { nonce, canary, expected }: Proofs): PytestReport {
  const marks = marksOf(end.report);
  const raw = end.report_cut ? null : reportAs(pytestReport, end.report.subarray(marks.length));
  // the process must have ended as its report says
  const trusted = raw?.nonce === nonce && raw.exit === end.exit ? raw : null;
  const shown = (text: string) => withoutSecrets(text, canary, nonce);
  return {
    expected,
    ...(trusted ? saidBy(trusted, canary, shown) : saidByNone),
    nonceSeen: trusted !== null,
    finished: trusted?.finished ?? false,
    canaryFailed: hasFailed(canary, trusted?.results ?? []),
    exit: end.exit,
    signal: end.signal === null ? null : String(end.signal),
    timedOut: end.timed_out,
    died: !end.timed_out && end.report.length === marks.length,
    betrayed: trusted === null && (/[+]|!$/.test(marks) || (!end.timed_out && marks.endsWith("?"))),
    output: shown(outputOf(end)),
    ms: end.ms,
  };
}

/** The marks before the report: `?` for a question to a value, `!` first yes, `+` one too many, `.` question over. */
function marksOf(report: Uint8Array): string {
  return /^[?!+.]*/.exec(Buffer.from(report.subarray(0, mostMarks)).toString("latin1"))?.[0] ?? "";
}

type PlainReport = Pick<
  PytestReport,
  | "results"
  | "collectErrors"
  | "missingModules"
  | "droppedOptions"
  | "unservedOptions"
  | "installedIn"
  | "reached"
  | "opened"
  | "ground"
  | "betrayals"
  | "agreed"
  | "given"
>;

const saidByNone: PlainReport = {
  results: [],
  collectErrors: [],
  missingModules: [],
  droppedOptions: [],
  unservedOptions: [],
  installedIn: "image",
  reached: {},
  opened: [],
  ground: [],
  betrayals: [],
  agreed: [],
  given: {},
};

function saidBy(raw: RawPytest, canary: Canary, shown: (text: string) => string): PlainReport {
  return {
    results: raw.results
      .filter(({ id }) => !isCanary(canary, id))
      .map((result) => ({ ...result, text: shown(result.text) })),
    collectErrors: raw.collect_errors.map((error) => ({ ...error, text: shown(error.text) })),
    missingModules: raw.missing,
    droppedOptions: raw.dropped,
    unservedOptions: raw.unserved,
    installedIn: raw.installed_in,
    reached: raw.reached,
    opened: raw.opened,
    ground: raw.ground.map((change) => ({ ...change, known: false })),
    betrayals: raw.found,
    agreed: raw.agreed,
    given: raw.given,
  };
}

/** Leaves out lines that were cut through, because half a secret name would not be recognised. */
function outputOf({ output_head: head, output_tail: tail, omitted }: ZygoteEnd): string {
  if (omitted === 0) return head + tail;
  const whole = head.slice(0, head.lastIndexOf("\n") + 1);
  return `${whole}[… ${omitted} bytes left out …]\n${tail.slice(tail.indexOf("\n") + 1)}`;
}

/** The report of a run that lost its container. */
export const nothingReported: PytestReport = {
  ...saidByNone,
  expected: [],
  nonceSeen: false,
  finished: false,
  canaryFailed: false,
  exit: null,
  signal: null,
  timedOut: false,
  died: true,
  output: "",
  ms: 0,
};
