import { randomBytes } from "node:crypto";
import { type Canary, newCanary, withoutSecrets } from "./canary.js";
import { pytestReport, type RawPytest, reportAs } from "./check-replies.js";
import type { ExpectedTest, PytestReport } from "./hands.js";
import type { Zygote, ZygoteEnd } from "./zygote.js";

interface PytestRun {
  readonly files: readonly string[];
  readonly expected: readonly ExpectedTest[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface PytestOutcome {
  readonly report: PytestReport;
  /** processes that outlived the tests */
  readonly killed: readonly string[];
}

/** pytest over `files` of the tree in /workspace, with everything in place that an honest report has to show. */
export async function runPytest(zygote: Zygote, run: PytestRun): Promise<PytestOutcome> {
  const nonce = randomBytes(16).toString("hex");
  const canary = newCanary(run.files[0] ?? "tests/none.py");
  const payload = { do: "pytest", files: run.files, canary, nonce };
  const end = await zygote.run({ payload }, run.timeoutMs, run.signal);
  return { report: reportOf(end, { nonce, canary, expected: run.expected }), killed: end.killed };
}

interface Proofs {
  readonly nonce: string;
  readonly canary: Canary;
  readonly expected: readonly ExpectedTest[];
}

function reportOf(end: ZygoteEnd, { nonce, canary, expected }: Proofs): PytestReport {
  const raw = end.report_cut ? null : reportAs(pytestReport, end.report);
  // what ended the process must be what its report says of itself
  const trusted = raw?.nonce === nonce && raw.exit === end.exit ? raw : null;
  const shown = (text: string) => withoutSecrets(text, canary, nonce);
  const canaries = (trusted?.results ?? []).filter(({ id }) => id === canary.id);
  return {
    expected,
    ...(trusted ? saidBy(trusted, canary, shown) : saidByNone),
    nonceSeen: trusted !== null,
    finished: trusted?.finished ?? false,
    canaryFailed: canaries.length === 1 && canaries[0]?.outcome === "failed",
    exit: end.exit,
    signal: end.signal === null ? null : String(end.signal),
    timedOut: end.timed_out,
    died: !end.timed_out && end.report.length === 0,
    output: shown(outputOf(end)),
    ms: end.ms,
  };
}

type Said = Pick<PytestReport, "results" | "collectErrors" | "missingModules" | "droppedOptions" | "unservedOptions">;

const saidByNone: Said = {
  results: [],
  collectErrors: [],
  missingModules: [],
  droppedOptions: [],
  unservedOptions: [],
};

function saidBy(raw: RawPytest, canary: Canary, shown: (text: string) => string): Said {
  return {
    results: raw.results
      .filter(({ id }) => id !== canary.id)
      .map((result) => ({ ...result, text: shown(result.text) })),
    collectErrors: raw.collect_errors.map((error) => ({ ...error, text: shown(error.text) })),
    missingModules: raw.missing,
    droppedOptions: raw.dropped,
    unservedOptions: raw.unserved,
  };
}

/** Lines that were cut through stay out: half a name is not recognised. */
function outputOf({ output_head: head, output_tail: tail, omitted }: ZygoteEnd): string {
  if (omitted === 0) return head + tail;
  const whole = head.slice(0, head.lastIndexOf("\n") + 1);
  return `${whole}[… ${omitted} bytes left out …]\n${tail.slice(tail.indexOf("\n") + 1)}`;
}
