import type { TestResult } from "../../hands/ports/checks/pytest.js";
import type { SuiteReport } from "../../hands/ports/checks/suite.js";
import { tailOf } from "../../text/bounded-text.js";
import { type Baseline, fileOf, nameIn, nameOf } from "./baseline.js";
import { byName, failed, passed, unbelievable } from "./outcomes.js";

/** A test that does worse in a run than before. */
export interface Suspect {
  readonly name: string;
  /** ids at fault; none when the test did not run at all */
  readonly ids: readonly string[];
  /** those of `ids` that failed; the rest neither passed nor failed */
  readonly failedIds: readonly string[];
  /** another of its parameter sets passes */
  readonly passes: boolean;
  /** its last lines of output */
  readonly text: string;
  /** false when nothing was known of the test */
  readonly held: boolean;
}

const shownText = 1_200;

/**
 * Finds the tests in `files` that are held, or not known yet, and do not pass. A test that found no time is no suspect.
 */
export function suspectsIn(report: SuiteReport, baseline: Baseline, files: readonly string[]): readonly Suspect[] {
  const unread = unbelievable(report);
  const results = unread === null ? byName(report.results) : new Map<string, readonly TestResult[]>();
  const late = new Set(report.notRun.map(nameOf));
  const absent = (name: string): string => unread ?? whyAbsent(report, name);
  const held = files.flatMap((file) =>
    [...(baseline.held.get(file) ?? [])].flatMap((own) => {
      const name = `${file}::${own}`;
      const found = results.get(name);
      if (found === undefined)
        return late.has(name) ? [] : [{ name, ids: [], failedIds: [], passes: false, text: absent(name), held: true }];
      return suspected(name, found, { baseline, late });
    }),
  );
  const unknown = files.filter((file) => baseline.notRun.has(file));
  return [...held, ...unknownIn(unknown, results, baseline)];
}

/** Nothing is known of these tests, so only a run without the change can tell whose fault it is. */
function unknownIn(
  files: readonly string[],
  results: ReadonlyMap<string, readonly TestResult[]>,
  baseline: Baseline,
): readonly Suspect[] {
  const all = [...results].filter(([name]) => files.includes(fileOf(name)) && !isHeld(baseline, name));
  return all.flatMap(([name, found]) => {
    const bad = found.filter((result) => failed(result) && !isExcepted(baseline, result.id));
    return bad.length === 0 ? [] : [suspectOf(name, found, { bad, held: false })];
  });
}

function suspected(
  name: string,
  results: readonly TestResult[],
  { baseline, late }: { readonly baseline: Baseline; readonly late: ReadonlySet<string> },
): readonly Suspect[] {
  const bad = results.filter((result) => !passed(result) && !isExcepted(baseline, result.id));
  if (bad.length > 0) return [suspectOf(name, results, { bad, held: true })];
  if (results.some(passed) || late.has(name)) return [];
  return [
    { ...suspectOf(name, results, { bad: results, held: true }), text: "no set of its parameters passes any more" },
  ];
}

function suspectOf(
  name: string,
  results: readonly TestResult[],
  { bad, held }: { readonly bad: readonly TestResult[]; readonly held: boolean },
): Suspect {
  const ids = (all: readonly TestResult[]) => all.map(({ id }) => id);
  const passes = results.some(passed);
  return { name, ids: ids(bad), failedIds: ids(bad.filter(failed)), passes, text: textOf(bad), held };
}

export function isHeld({ held }: Baseline, name: string): boolean {
  return held.get(fileOf(name))?.has(nameIn(name)) === true;
}

/** True when the id, its test with all parameters, or its file is excepted. */
export function isExcepted({ excepted }: Baseline, id: string): boolean {
  return excepted.has(id) || excepted.has(nameOf(id)) || excepted.has(fileOf(id));
}

function textOf([first]: readonly TestResult[]): string {
  if (first === undefined) return "";
  const text = first.text.trimEnd();
  return text === "" ? first.outcome : tailOf(text, shownText).text;
}

function whyAbsent({ collectErrors, finished, output }: SuiteReport, name: string): string {
  const own = collectErrors.find(({ path }) => path === fileOf(name));
  const error = own ?? collectErrors.find(({ path }) => path.endsWith("conftest.py"));
  if (error) return tailOf(error.text.trimEnd(), shownText).text;
  return finished ? "it did not run" : tailOf(output.trimEnd(), shownText).text;
}
