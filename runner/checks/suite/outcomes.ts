import type { TestResult } from "../../hands/ports/checks/pytest.js";
import type { SuiteReport } from "../../hands/ports/checks/suite.js";
import { baseOf } from "../expectations.js";

/** The report of a run that had no file to run. */
export const nothingRan: SuiteReport = {
  ...{ expected: [], results: [], collectErrors: [], missingModules: [], droppedOptions: [], unservedOptions: [] },
  ...{ nonceSeen: true, finished: true, canaryFailed: true, exit: 1, signal: null, timedOut: false, died: false },
  ...{ installedIn: "image", reached: {}, opened: [], ground: [], output: "", ms: 0 },
  ...{ betrayals: [], agreed: [], given: {} },
  ...{ notRun: [], brokenOff: [], inCode: [], rewritten: [] },
};

/** Says why a whole run cannot be believed, or returns null. */
export function unbelievable(report: SuiteReport): string | null {
  if (report.timedOut) return "the tests did not end in time, and could not be broken off";
  if (report.died) return "the process that ran the tests ended without a report";
  if (!report.nonceSeen) return "the report of the tests did not come from their run";
  if (report.unservedOptions.length > 0)
    return `no plugin in the ${report.installedIn} serves ${report.unservedOptions.join(", ")}, which the project asks pytest for`;
  if (report.rewritten.length > 0)
    return `${report.rewritten.slice(0, 3).join(", ")} was changed by code that was imported while the tests were collected`;
  const ended = report.exit === 1 && report.signal === null;
  if (report.finished && !(report.canaryFailed && ended))
    return "a test that has to fail did not: something keeps failures from being reported";
  return null;
}

/** Groups results by the name of their test, without parameters. */
export function byName(results: readonly TestResult[]): ReadonlyMap<string, readonly TestResult[]> {
  const found = new Map<string, TestResult[]>();
  for (const result of results) {
    const name = baseOf(result.id);
    const known = found.get(name);
    if (known) known.push(result);
    else found.set(name, [result]);
  }
  return found;
}

export function passed({ outcome }: TestResult): boolean {
  return outcome === "passed";
}

export function failed({ outcome }: TestResult): boolean {
  return outcome === "failed" || outcome === "error";
}
