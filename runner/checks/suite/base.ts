import type { TestResult } from "../../hands/ports/checks/pytest.js";
import type { SuiteReport } from "../../hands/ports/checks/suite.js";
import type { Payload } from "../../session/log/events.js";
import { oneLine } from "../../text/sanitise.js";
import { fileOf, nameIn } from "./baseline.js";
import { byName, failed, passed, unbelievable } from "./outcomes.js";

export type BaseSuite = Omit<Payload<"base_suite">, "tree" | "at" | "environment" | "ms">;

const shownText = 300;

/** Reads from one or two runs of the project's own tests how they do on that tree. */
export function baseOfRuns(first: SuiteReport, second: SuiteReport | null): BaseSuite {
  const problem = problemOf(first);
  const again = second && unbelievable(second) === null && second.finished ? second : null;
  if (problem !== null) return { ...nothing, problem };
  const late = [...first.notRun, ...first.brokenOff];
  const ended = first.results.filter(({ id }) => !first.brokenOff.includes(id));
  const seen = seenAgain(again);
  const sorted = [...byName(ended)].map(([name, results]) => settled(name, results, seen));
  const all = (pick: (one: BaseStanding) => readonly string[]) => sorted.flatMap(pick);
  const held = new Map<string, string[]>();
  for (const { name, holds } of sorted)
    if (holds) held.set(fileOf(name), namesWith(held.get(fileOf(name)), nameIn(name)));
  const notCollected = first.collectErrors.map(({ path }) => path);
  return {
    runs: again ? 2 : 1,
    passed: sorted.reduce((sum, one) => sum + one.passed, 0),
    failed: sorted.reduce((sum, one) => sum + one.failed, 0) + notCollected.length,
    unstable: all(({ unsteady }) => unsteady).length,
    skipped: sorted.reduce((sum, one) => sum + one.skipped, 0),
    held: Object.fromEntries(held),
    failing: [...notCollected, ...all(({ failing }) => failing)],
    unsteady: [...all(({ unsteady }) => unsteady)],
    left_out: [...all(({ leftOut }) => leftOut)],
    in_code: [...first.inCode],
    not_run: [...new Set(late.map(fileOf))],
    problem: null,
  };
}

const nothing: BaseSuite = {
  ...{ runs: 1, passed: 0, failed: 0, unstable: 0, skipped: 0, held: {}, failing: [], unsteady: [] },
  ...{ left_out: [], in_code: [], not_run: [], problem: null },
};

function namesWith(names: string[] | undefined, name: string): string[] {
  names?.push(name);
  return names ?? [name];
}

interface BaseStanding {
  readonly name: string;
  readonly holds: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failing: readonly string[];
  readonly unsteady: readonly string[];
  readonly leftOut: readonly string[];
}

type Again = (result: TestResult) => boolean;

/** Tells whether a test that passed passes once more; a test with another id in the second run is assumed to. */
function seenAgain(second: SuiteReport | null): Again {
  if (second === null) return passed;
  const outcomes = new Map(second.results.map((result) => [result.id, passed(result)]));
  return (result) => outcomes.get(result.id) ?? passed(result);
}

function settled(name: string, results: readonly TestResult[], again: Again): BaseStanding {
  const ids = (all: readonly TestResult[]) => all.map(({ id }) => id);
  const unsteady = results.filter((result) => passed(result) !== again(result));
  const steady = results.filter((result) => passed(result) === again(result));
  const [good, bad] = [steady.filter(passed), steady.filter(failed)];
  const rest = steady.filter((result) => !passed(result) && !failed(result));
  const holds = good.length > 0;
  return {
    name,
    holds,
    ...{ passed: good.length, failed: bad.length, skipped: rest.length },
    failing: bad.length === results.length ? [name] : ids(bad),
    unsteady: ids(unsteady),
    leftOut: holds ? ids(rest) : [],
  };
}

/** Says why none of the tests can be held at all, or returns null. */
function problemOf(report: SuiteReport): string | null {
  const unread = unbelievable(report);
  if (unread !== null) return unread;
  if (report.finished && (report.results.length > 0 || report.collectErrors.length === 0)) return null;
  const [error] = report.collectErrors;
  if (error) return `${oneLine(error.path, shownText)} cannot be collected: ${lastLine(error.text)}`;
  // pytest's own status for a run that found nothing to run
  return report.exit === 5 ? null : `pytest stopped before it was done: ${lastLine(report.output)}`;
}

function lastLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const told = lines.findLast((line) => line.startsWith("E ")) ?? lines.at(-1) ?? "";
  return oneLine(told.replace(/^E\s+/, ""), shownText);
}
