import { posix } from "node:path";
import type { PytestReport, TestResult } from "../hands/ports/checks/pytest.js";

export interface BlameSplit {
  /** the report without the failures that the task does not answer for */
  readonly report: PytestReport;
  /** tests, and files that could not be collected, that failed on the last accepted tree as well */
  readonly known: readonly string[];
}

/** Leaves out failures that were there before: `before` is the run of the same files on the last accepted tree. */
export function blamedOn(own: PytestReport, before: PytestReport | null): BlameSplit {
  if (before?.nonceSeen !== true) return { report: own, known: [] };
  const functions = new Set(before.results.filter(failed).map(functionOf));
  const files = new Set(before.collectErrors.map(fileAndReason));
  const [oldResults, results] = parted(own.results, (result) => failed(result) && functions.has(functionOf(result)));
  const [oldErrors, collectErrors] = parted(own.collectErrors, (error) => files.has(fileAndReason(error)));
  const known = new Set([...oldErrors.map(({ path }) => path), ...oldResults.map(({ id }) => id)]);
  return { report: { ...own, results, collectErrors }, known: [...known] };
}

function failed({ outcome }: TestResult): boolean {
  return outcome === "failed" || outcome === "error";
}

/** Drops parameters, which change with a test's versions, and folders, since a file can move. */
function functionOf({ id }: TestResult): string {
  const [path = "", ...names] = (id.split("[", 1)[0] ?? id).split("::");
  return [posix.basename(path), ...names].join("::");
}

function fileAndReason({ path, reason }: PytestReport["collectErrors"][number]): string {
  return `${posix.basename(path)}\n${reason}`;
}

function parted<T>(all: readonly T[], is: (one: T) => boolean): [T[], T[]] {
  return [all.filter(is), all.filter((one) => !is(one))];
}
