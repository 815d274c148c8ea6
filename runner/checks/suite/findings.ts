import type { CheckResult } from "../../session/log/events/checks.js";
import { endsOf } from "../../text/bounded-text.js";
import { counted } from "../../text/counted.js";
import { named } from "./said.js";

export interface ChangedTest {
  readonly name: string;
  /** the failure that the old version shows now */
  readonly text: string;
}

export interface SuiteFailure extends ChangedTest {
  /** `weakened` means that the new version passes with and without the change, `gone` that there is none */
  readonly why: "fails" | "weakened" | "gone";
}

/** The results of the project's own tests, or of a part of them, for one change. */
export interface SuiteFindings {
  /** number of held tests that ran */
  readonly ran: number;
  readonly failures: readonly SuiteFailure[];
  readonly changed: readonly ChangedTest[];
  readonly gone: readonly string[];
  readonly excused: readonly string[];
  /** tests that fail now in the version from before an earlier task rewrote them */
  readonly outdated: readonly ChangedTest[];
  /** ids that failed before and pass now */
  readonly mended: readonly string[];
  /** files for which there was no time */
  readonly notRun: readonly string[];
}

export const nothingFound: SuiteFindings = {
  ...{ ran: 0, failures: [], changed: [], gone: [], excused: [], outdated: [], mended: [], notRun: [] },
};

const mostOutput = 16 * 1024;
const mostShown = 30;
const shownNames = 20;

export function together(one: SuiteFindings, other: SuiteFindings): SuiteFindings {
  return {
    ran: one.ran + other.ran,
    failures: [...one.failures, ...other.failures],
    changed: [...one.changed, ...other.changed],
    gone: [...one.gone, ...other.gone],
    excused: [...one.excused, ...other.excused],
    outdated: [...one.outdated, ...other.outdated],
    mended: [...one.mended, ...other.mended],
    notRun: [...one.notRun, ...other.notRun],
  };
}

const rule =
  "The project's own tests count as they stood before the change. What passed then has to pass now, or, where the task asks for another behaviour, to stand in a new version that passes now and would have failed before.";

const whys = {
  fails: "does not pass any more",
  weakened:
    "does not pass any more as it was, and your version of it passes on the code as it was, too: it does not show what changed. Put it back, or let it ask for the new behaviour",
  gone: "is gone; a test may go where the task's text names it or its file. Put it back under its name, in a new version where the task asks for another behaviour",
} as const;

export function suiteResult({ ran, failures, notRun }: SuiteFindings, ms: number): CheckResult {
  const didNotFit = notRun.length === 0 ? "" : ` There was no time for ${counted(notRun.length, "file")}.`;
  if (failures.length === 0) {
    const output = `${counted(ran, "test")} of the project's own, as they were before the change, passed.${didNotFit}`;
    return { name: "own_tests", passed: true, reason: null, output, ms };
  }
  const told = failures.slice(0, mostShown).map(({ name, why, text }) => {
    const lines = text === "" ? "" : `\n${text}`;
    return `${name} ${whys[why]}${lines}`;
  });
  const more = failures.length - mostShown;
  const said = [rule, ...told, ...(more > 0 ? [`and ${more} more`] : [])].join("\n\n");
  return { name: "own_tests", passed: false, reason: "own_tests", output: endsOf(said, mostOutput).text, ms };
}

/** Notes for the reviewer. */
export function suiteNotes(
  { changed, gone, excused, outdated }: SuiteFindings,
  rewritten: readonly string[],
): readonly string[] {
  const told = changed.slice(0, mostShown).map(({ name, text }) => {
    const last = text.split("\n").findLast((line) => line.startsWith("E ")) ?? "";
    return `the change brings a new version of the project's own test ${name}: the one before fails now (${last.trim()}), the new one passes and fails on the code as it was; hold both against the task`;
  });
  const before = outdated.slice(0, mostShown).map(({ name, text }) => {
    const last = text.split("\n").findLast((line) => line.startsWith("E ")) ?? "";
    return `${name} passes only since an earlier task of this session rewrote it: as it was before, it fails with this change (${last.trim()})`;
  });
  const quiet = quietly(rewritten, changed);
  return [
    ...told,
    ...before,
    ...(quiet.length > 0
      ? [`test files of the project are changed, though their tests pass as they were: ${named(quiet, shownNames)}`]
      : []),
    ...(gone.length > 0 ? [`tests of the project that are gone or renamed: ${named(gone, shownNames)}`] : []),
    ...(excused.length > 0
      ? [`tests of the project that failed, and without the change as well or not twice: ${named(excused, shownNames)}`]
      : []),
  ];
}

/** Reports failures without objecting to them. */
export function toldOnly(findings: SuiteFindings): readonly string[] {
  const { failures } = findings;
  if (failures.length === 0) return [];
  return [
    `the project's own tests that passed before the change and do not now (TILTH_SUITE=tell): ${named(
      failures.map(({ name }) => name),
      shownNames,
    )}`,
  ];
}

/** Returns the rewritten files with old versions of tests that pass, too. */
export function quietly(rewritten: readonly string[], changed: readonly ChangedTest[]): readonly string[] {
  const names = new Set(changed.map(({ name }) => name.split("::", 1)[0]));
  return rewritten.filter((file) => !names.has(file));
}
