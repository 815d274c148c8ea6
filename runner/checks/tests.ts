import type { CheckReport, CheckRequest } from "../hands/ports/checks/checks.js";
import type { PytestReport, TestResult } from "../hands/ports/checks/pytest.js";
import type { StagedFacts } from "../hands/ports/checks/staged.js";
import { baseOf, compare, type StagedKnowledge } from "./expectations.js";
import { blamedOn } from "./failed-before.js";
import { changedGround } from "./ground.js";
import type { CheckReason } from "./reasons.js";

export interface Objection {
  readonly reason: CheckReason;
  /** one sentence, and the tests or files it is about */
  readonly said: string;
}

type Rule = (report: PytestReport, known: StagedKnowledge) => Objection | null;

const shownNames = 30;
const shownText = 1_500;
const howToHave =
  "The environment is made from the project's dependency files (such as pyproject.toml): a task that names one of them can add a package there.";

/**
 * Objections to a run of pytest, the most telling first. The absence of an objection is no evidence by itself, so every
 * rule asks for something that only a whole and honest run has.
 */
const rules: readonly Rule[] = [
  (report) => (report.timedOut ? { reason: "timeout", said: "The tests did not finish in time." } : null),
  (report) =>
    report.died
      ? { reason: "check_died", said: `The test process ended (${endingOf(report)}) without a report.` }
      : null,
  (report) =>
    report.nonceSeen ? null : { reason: "forged_report", said: "The report of the tests did not come from this run." },
  (report) =>
    report.unservedOptions.length > 0
      ? {
          reason: "unserved_option",
          said: `No plugin in the ${report.installedIn} serves ${names(report.unservedOptions)}.`,
        }
      : null,
  collected,
  (report) =>
    report.finished
      ? null
      : { reason: "not_finished", said: `pytest stopped before it was done (${endingOf(report)}).` },
  decided,
  expected,
  (report) =>
    report.canaryFailed
      ? null
      : { reason: "no_canary", said: "A test that has to fail did not: something keeps failures from being reported." },
  (report) =>
    report.exit === 1 && report.signal === null
      ? null
      : { reason: "forged_report", said: `The tests ended with ${endingOf(report)}, which does not fit their report.` },
  grounded,
  asserted,
];

const nothingKnown: StagedKnowledge = { facts: [], ranRed: [], taskText: "", since: { taskTexts: [] } };

/** `known` describes the staged files that were run; leave it out for a run over others. */
export function objectionTo(report: PytestReport, known: StagedKnowledge = nothingKnown): Objection | null {
  for (const rule of rules) {
    const objection = rule(report, known);
    if (objection) return objection;
  }
  return null;
}

function collected(report: PytestReport): Objection | null {
  if (report.collectErrors.length === 0) return null;
  const files = report.collectErrors.map(({ path, text }) => `${path}:\n${text.slice(-shownText)}`).join("\n\n");
  if (report.missingModules.length > 0) return { reason: "missing_module", said: `${missing(report)}\n\n${files}` };
  const hidden = report.collectErrors.some(({ reason }) => reason === "hidden_module");
  const why = hidden ? "A module of the tree has the name of one that is installed, which comes first.\n" : "";
  return { reason: "collect_error", said: `${why}Not collected:\n${files}` };
}

function decided(report: PytestReport): Objection | null {
  const failed = report.results.filter(({ outcome }) => outcome === "failed" || outcome === "error");
  if (failed.length === 0) return null;
  const said = `${failed.length} of ${report.results.length} tests failed: ${names(failed.map(({ id }) => id))}`;
  if (report.missingModules.length > 0) return { reason: "missing_module", said: `${missing(report)}\n${said}` };
  return { reason: "test_failed", said };
}

function expected(report: PytestReport, known: StagedKnowledge): Objection | null {
  const { missing: absent, undecided } = compare(report.expected, report.results, known);
  if (absent.length > 0) return { reason: "test_missing", said: `Staged tests did not run: ${names(absent)}` };
  if (undecided.length > 0)
    return {
      reason: "skipped",
      said: `Staged tests have to pass, and these did not run through: ${outcomes(undecided)}`,
    };
  return null;
}

function grounded(report: PytestReport, known: StagedKnowledge): Objection | null {
  const said = changedGround(report, known);
  return said === null ? null : { reason: "ground_changed", said };
}

function asserted(report: PytestReport, { facts }: StagedKnowledge): Objection | null {
  const { impossible } = silentTests(report, facts);
  if (impossible.length === 0) return null;
  const said = `These tests passed without reaching any of their assertions: ${names(impossible)}`;
  return { reason: "no_assertion_reached", said };
}

/** Notes for the reviewer: a test that asserts only under conditions, and met none, proves nothing. */
export function silentNotes(report: PytestReport | null, { facts }: StagedKnowledge): readonly string[] {
  const possible = report ? silentTests(report, facts).possible : [];
  return possible.length > 0
    ? [`passed, and met none of the conditions under which they assert: ${names(possible)}`]
    : [];
}

function missing({ missingModules, installedIn }: PytestReport): string {
  const absent = missingModules.map(
    (name) => `${name} is not in the ${installedIn}, and the tree has no module of that name.`,
  );
  return [...absent, ...(installedIn === "environment" ? [howToHave] : [])].join("\n");
}

function names(all: readonly string[]): string {
  const more = all.length - shownNames;
  return all.slice(0, shownNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function outcomes(results: readonly TestResult[]): string {
  return names(results.map(({ id, outcome }) => `${id} (${outcome})`));
}

function endingOf({ exit, signal }: PytestReport): string {
  return signal === null ? `exit status ${exit ?? "unknown"}` : `signal ${signal}`;
}

/** Notes on the task's own test files, which have no staged ids and so none that must turn up. */
export function ownRunNotes(request: CheckRequest, { own, ownBefore }: CheckReport): readonly string[] {
  if (own === null) return [];
  const { report, known } = blamedOn(own, ownBefore);
  const skipped = report.results.filter(({ outcome }) => outcome !== "passed");
  const notes = [`test files added or changed by the task, run by themselves: ${names(request.added)}`];
  if (known.length > 0) notes.push(`of these failed on the last accepted tree as well: ${names(known)}`);
  if (skipped.length > 0) notes.push(`of these did not run through: ${outcomes(skipped)}`);
  return notes;
}

interface Silent {
  /** an honest run could not pass without reaching one of their assertions */
  readonly impossible: readonly string[];
  /** all their assertions stand under conditions, and this run met none of them */
  readonly possible: readonly string[];
}

/**
 * Finds tests that passed and reached none of their assertions, with any of their parameters. For a test with
 * assertions only in helpers, one of those is enough.
 */
function silentTests({ reached, results }: PytestReport, facts: readonly StagedFacts[]): Silent {
  const passed = new Set(results.filter(({ outcome }) => outcome === "passed").map(({ id }) => baseOf(id)));
  const impossible: string[] = [];
  const possible: string[] = [];
  for (const { tests, assertions } of facts)
    for (const { id, asserts, surelyAsserts } of tests) {
      if (!asserts || !passed.has(id)) continue;
      const sites = new Set(Object.keys(reached).flatMap((test) => (baseOf(test) === id ? (reached[test] ?? []) : [])));
      const own = assertions.filter(({ test }) => test === id);
      if (own.length > 0 ? own.some((site) => sites.has(site.id)) : sites.size > 0) continue;
      const excused = surelyAsserts === null || (surelyAsserts === "somewhere" && sites.size > 0);
      if (!excused) impossible.push(id);
      else if (own.length > 0 && sites.size === 0) possible.push(id);
    }
  return { impossible, possible };
}
