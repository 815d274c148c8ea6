import type { CheckReport, CheckRequest } from "../hands/ports/checks/checks.js";
import type { PytestReport } from "../hands/ports/checks/pytest.js";
import type { CheckResult } from "../session/log/events/checks.js";
import { endsOf } from "../text/bounded-text.js";
import type { StagedKnowledge } from "./expectations.js";
import { blamedOn } from "./failed-before.js";
import { newFindings } from "./findings.js";
import { groundNotes } from "./ground.js";
import type { CheckReason } from "./reasons.js";
import { rewrittenNotes, rewrittenTree } from "./rewritten.js";
import { objectionToFindings, scanNotes } from "./scan.js";
import { type Objection, objectionTo, ownRunNotes, silentNotes } from "./tests.js";

/** The checks' verdict on one tree: their fields of `check_run`. */
export interface Judgement {
  readonly passed: boolean;
  readonly checks: CheckResult[];
  readonly expected: string[];
  readonly seen: { readonly id: string; readonly outcome: string }[];
  readonly integrityNotes: string[];
}

interface Check {
  readonly name: string;
  /** returns null when this check had nothing to run on */
  readonly judge: (report: CheckReport, request: CheckRequest) => PartVerdict | null;
}

interface PartVerdict {
  readonly objection: Objection | null;
  readonly output: string;
  readonly ms: number;
}

const mostOutput = 16 * 1024;
const mostFindings = 200;

/** Every check there is; a tree passes when none of them objects and those that must run did. */
const checks: readonly Check[] = [
  { name: "ruff", judge: lint },
  { name: "pytest", judge: ({ pytest }, request) => pytest && ofRun(pytest, request) },
  { name: "added_tests", judge: ({ own, ownBefore }) => own && ofRun(blamedOn(own, ownBefore).report) },
  { name: "tree", judge: tree },
  { name: "judge_files", judge: judgeFiles },
  { name: "scan", judge: scan },
];

export function judgementOf(report: CheckReport, request: CheckRequest): Judgement {
  const results = checks.flatMap(({ name, judge }): CheckResult[] => {
    const said = judge(report, request);
    return said ? [resultOf(name, said)] : [];
  });
  const whole = report.ruff !== null && report.pytest !== null && (request.added.length === 0 || report.own !== null);
  return {
    passed: whole && results.every(({ passed }) => passed),
    checks: results,
    expected: (report.pytest?.expected ?? []).map(({ id, many }) => (many ? `${id}*` : id)),
    seen: [report.pytest, report.own].flatMap((run) =>
      (run?.results ?? []).map(({ id, outcome }) => ({ id, outcome })),
    ),
    integrityNotes: [
      ...report.integrityNotes,
      ...scanNotes(report.findings),
      ...leftOutOptions(report),
      ...silentNotes(report.pytest, request),
      ...groundNotes(report.pytest, request),
      ...rewrittenNotes(report),
      ...ownRunNotes(request, report),
    ],
  };
}

function resultOf(name: string, { objection, output, ms }: PartVerdict): CheckResult {
  const text = [objection?.said ?? "", output].filter((part) => part !== "").join("\n\n");
  return {
    name,
    passed: objection === null,
    reason: objection?.reason ?? null,
    output: endsOf(text, mostOutput).text,
    ms,
  };
}

function lint({ ruff }: CheckReport, request: CheckRequest): PartVerdict | null {
  if (ruff === null) return null;
  const said = (reason: CheckReason | null, output: string): PartVerdict => ({
    objection: reason && { reason, said: output },
    output: reason ? "" : output,
    ms: ruff.ms,
  });
  if (ruff.timedOut) return said("timeout", "ruff did not finish in time.");
  if (ruff.problem !== "") return said("lint_failed", `ruff could not run:\n${ruff.problem}`);
  const found = newFindings(ruff, request);
  if (found.length === 0) return said(null, "");
  const lines = found
    .slice(0, mostFindings)
    .map(({ path, line, rule, message }) => `${path}:${line}: ${rule} ${message}`);
  return said("lint", [`ruff found ${found.length} that the session did not start with:`, ...lines].join("\n"));
}

/** Listed only when it objects. A failing test is excused: it may not get to restore what it changed. */
function tree(report: CheckReport, request: CheckRequest): PartVerdict | null {
  const { rewritten, pytest, own } = report;
  const failed = {
    ruff: false,
    pytest: pytest !== null && objectionTo(pytest, request) !== null,
    added_tests: own !== null && objectionTo(own) !== null,
  };
  const objection = rewrittenTree(rewritten.filter(({ by }) => !failed[by]));
  return objection && { objection, output: "", ms: report.ms };
}

function ofRun(run: PytestReport, known?: StagedKnowledge): PartVerdict {
  return { objection: objectionTo(run, known), output: run.output, ms: run.ms };
}

/** Listed only when it objects: a tree with unchanged judge files has nothing to show. */
function judgeFiles({ judgeFiles: changes, ms }: CheckReport): PartVerdict | null {
  const refused = changes.filter(({ allowed }) => !allowed);
  if (refused.length === 0) return null;
  const lines = refused.map(
    ({ path, table, what, remedy }) => `${path}${table ? ` [${table}]` : ""}: ${what}. ${remedy}`,
  );
  const said = [
    "These judge the task, so a task may change them only where its own text names them. Nothing was run. Put back:",
    ...lines,
  ].join("\n");
  return { objection: { reason: "judge_files", said }, output: "", ms };
}

/** Listed only when it objects: findings that do not object stand in the integrity notes. */
function scan({ findings, ms }: CheckReport): PartVerdict | null {
  const objection = objectionToFindings(findings);
  return objection && { objection, output: "", ms };
}

function leftOutOptions({ pytest }: CheckReport): readonly string[] {
  if (pytest === null || pytest.droppedOptions.length === 0) return [];
  return [`pytest options of the project that were left out: ${pytest.droppedOptions.join(", ")}`];
}
