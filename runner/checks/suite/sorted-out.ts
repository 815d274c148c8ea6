import type { TestResult } from "../../hands/ports/checks/pytest.js";
import type { SuiteReport } from "../../hands/ports/checks/suite.js";
import { baseOf } from "../expectations.js";
import type { Baseline } from "./baseline.js";
import { byName, failed, passed, unbelievable } from "./outcomes.js";
import { isExcepted, type Suspect } from "./suspects.js";

/** The test did just as badly in a run without the change, so the change is not to blame. */
export function isNotToBlame(suspect: Suspect, onLast: SuiteReport, baseline: Baseline): boolean {
  const before = ofTest(suspect, onLast);
  if (unbelievable(onLast) !== null || isLate(suspect, onLast)) return !suspect.held;
  if (before === undefined || !before.some(passed)) return true;
  if (!suspect.passes && suspect.held) return false;
  const known = new Map(before.map((result) => [result.id, result]));
  return suspect.ids.length > 0 && suspect.ids.every((id) => wasNoBetter(known.get(id), suspect, { id, baseline }));
}

/** A new parameter set that fails is the change's fault; one that is new and skipped is nobody's. */
function wasNoBetter(
  before: TestResult | undefined,
  { failedIds }: Suspect,
  { id, baseline }: { readonly id: string; readonly baseline: Baseline },
): boolean {
  if (before === undefined) return !failedIds.includes(id);
  return !passed(before) || isExcepted(baseline, id);
}

/** A test that passes in the change's version but fails on the old code pins the change. */
export function pinsTheChange(
  suspect: Suspect,
  { own, onOldCode }: { readonly own: SuiteReport; readonly onOldCode: SuiteReport },
  baseline: Baseline,
): "pins" | "fails" | "gone" | "weakened" {
  const now = ofTest(suspect, own);
  if (unbelievable(own) !== null) return "fails";
  if (now === undefined) return own.collectErrors.length > 0 ? "fails" : "gone";
  const good = now.some(passed) && now.every((result) => passed(result) || isExcepted(baseline, result.id));
  if (!good) return "fails";
  return failsOn(onOldCode, suspect) ? "pins" : "weakened";
}

/** Code that never ends, or ends the process, fails the test that shows it. */
function failsOn(report: SuiteReport, suspect: Suspect): boolean {
  if (report.died || report.timedOut) return true;
  if (unbelievable(report) !== null || isLate(suspect, report)) return false;
  const before = ofTest(suspect, report);
  return before === undefined || !before.some(passed) || before.some(failed);
}

function isLate({ name }: Suspect, { notRun }: SuiteReport): boolean {
  return notRun.some((id) => baseOf(id) === name);
}

function ofTest({ name }: Suspect, report: SuiteReport): readonly TestResult[] | undefined {
  return byName(report.results).get(name);
}
