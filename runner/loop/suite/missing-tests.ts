import { posix } from "node:path";
import { fileOf, nameIn, nameOf } from "../../checks/suite/baseline.js";
import { nothingFound, type SuiteFindings } from "../../checks/suite/findings.js";
import type { Sides } from "../../checks/suite/sides.js";
import { isHeld } from "../../checks/suite/suspects.js";
import { names } from "../../environment/named-by.js";
import type { SuiteReport, SuiteRuns } from "../../hands/ports/checks/suite.js";
import type { SuiteQuestion } from "./question.js";

export interface Missing {
  readonly question: SuiteQuestion;
  readonly sides: Sides;
  readonly suite: SuiteRuns;
  /** runs files of the submitted tree, with the tests as the change has them */
  readonly run: (files: readonly string[]) => Promise<SuiteReport>;
  readonly signal: AbortSignal;
}

/**
 * Finds tests that a change deletes or renames. Those the task's text names, and those that now stand elsewhere, are
 * `gone`; the others are failures.
 */
export async function missingTests(of: Missing): Promise<SuiteFindings> {
  const missing = await missingIn(of);
  if (missing.length === 0) return nothingFound;
  const { taskText } = of.question;
  const named = (name: string) => namesTest(taskText, name);
  const elsewhere = missing.every(named) ? new Set<string>() : await standElsewhere(missing, of);
  const gone = missing.filter((name) => named(name) || elsewhere.has(name));
  const refused = missing.filter((name) => !gone.includes(name));
  return { ...nothingFound, gone, failures: refused.map((name) => ({ name, why: "gone" as const, text: "" })) };
}

async function missingIn(of: Missing): Promise<readonly string[]> {
  const { held } = of.question.baseline;
  const changed = (deleted: boolean) =>
    of.sides.held.filter(({ status }) => (status === "deleted") === deleted).map(({ path }) => path);
  const [deleted, rewritten] = [changed(true), changed(false)];
  const there = rewritten.length === 0 ? new Set<string>() : await testsIn(rewritten, of);
  return [...deleted, ...rewritten].flatMap((file) =>
    [...(held.get(file) ?? [])].map((own) => `${file}::${own}`).filter((name) => !there.has(name)),
  );
}

/** Names the tests in some files of the submitted tree. */
async function testsIn(files: readonly string[], { question, run }: Missing): Promise<ReadonlySet<string>> {
  const untold = files.filter((file) => !question.added.includes(file));
  const report = untold.length === 0 ? null : await run(untold);
  const ids = report ? [...report.results.map(({ id }) => id), ...report.notRun] : [];
  return new Set([...question.seen.map(({ id }) => id), ...ids].map(nameOf));
}

/** Finds tests whose body now stands in another place or under another name, where no held test was before. */
async function standElsewhere(missing: readonly string[], of: Missing): Promise<ReadonlySet<string>> {
  const { changes, last, tree, baseline } = of.question;
  const before = [...new Set(missing.map(fileOf))];
  const now = changes
    .filter(({ path, status }) => status !== "deleted" && path.endsWith(".py"))
    .map(({ path }) => path);
  const asked = [...before.map((path) => ({ tree: last, path })), ...now.map((path) => ({ tree, path }))];
  const found = await of.suite.bodies(asked, of.signal);
  const bodies = now.flatMap((path, at) =>
    Object.entries(found[before.length + at] ?? {}).flatMap(([own, body]) =>
      isHeld(baseline, `${path}::${own}`) ? [] : [body],
    ),
  );
  const isFound = (name: string): boolean => {
    const body = found[before.indexOf(fileOf(name))]?.[nameIn(name)];
    const at = body === undefined ? -1 : bodies.indexOf(body);
    // each body found can replace only one missing test
    if (at >= 0) bodies.splice(at, 1);
    return at >= 0;
  };
  return new Set(missing.filter(isFound));
}

/** True if the text names the test, its class or its file. */
function namesTest(text: string, name: string): boolean {
  const file = fileOf(name);
  return [file, posix.basename(file), ...nameIn(name).split("::")].some((word) => names(text, word));
}
