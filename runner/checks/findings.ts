import type { CheckRequest } from "../hands/ports/checks/checks.js";
import type { Hunk, RuffFinding, RuffReport } from "../hands/ports/checks/ruff.js";

/**
 * Returns the findings that count: those unlike any in the base's file, so that nobody has to fix what others wrote. A
 * staged test was linted when it was staged.
 */
export function newFindings(
  { findings, older }: Pick<RuffReport, "findings" | "older">,
  { allStaged }: Pick<CheckRequest, "allStaged">,
): readonly RuffFinding[] {
  const settled = new Set([...allStaged.map(({ path }) => path), ...older.same]);
  const hunksOf = new Map(older.changed.map(({ path, hunks }) => [path, hunks]));
  const groups = new Map<string, RuffFinding[]>();
  for (const finding of findings.filter(({ path }) => !settled.has(path))) {
    const key = JSON.stringify([finding.path, finding.rule]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  const counting = new Set(
    [...groups.values()].flatMap((group) => {
      const path = group[0]?.path ?? "";
      return newOf(
        group,
        older.findings.filter((old) => old.path === path),
        hunksOf.get(path) ?? [],
      );
    }),
  );
  return findings.filter((finding) => counting.has(finding));
}

/** Looks at one rule in one file. Replaced lines excuse as many findings as the old lines had. */
function newOf(
  now: readonly RuffFinding[],
  inFile: readonly RuffFinding[],
  hunks: readonly Hunk[],
): readonly RuffFinding[] {
  const before = inFile.filter(({ rule }) => rule === now[0]?.rule);
  const known = (finding: RuffFinding) => before.some((old) => isLike(finding, old)) || isOfOldStar(finding, inFile);
  const unknown = now.filter((finding) => !known(finding));
  const touched = hunks.flatMap(([start, count, startNow, countNow]) => {
    const had =
      before.filter(within(start, count)).length - now.filter(known).filter(within(startNow, countNow)).length;
    return unknown.filter(within(startNow, countNow)).slice(0, Math.max(0, had));
  });
  return unknown.filter((finding) => !touched.includes(finding));
}

/** Lines move, and so do the numbers in ruff's messages. */
function isLike(finding: RuffFinding, old: RuffFinding): boolean {
  return finding.lineText === old.lineText || shapeOf(finding) === shapeOf(old);
}

function shapeOf({ message }: RuffFinding): string {
  return message.replace(/\d+/g, "0");
}

/** Another name from a star import that the file had before; not every ruff tells the module. */
function isOfOldStar({ rule, message }: RuffFinding, inFile: readonly RuffFinding[]): boolean {
  const old = inFile.filter((each) => /^F40[35]$/.test(each.rule));
  if (rule !== "F405" || old.length === 0) return false;
  const had = new Set(old.flatMap((each) => starsIn(each.message)));
  return starsIn(message).every((star) => had.has(star));
}

/** Reads "`from pkg import *` used; …" and "`name` may be undefined, or defined from star imports: `pkg`, `other`". */
function starsIn(message: string): readonly string[] {
  const star = /^`from (\S+) import \*`/.exec(message)?.[1];
  if (star !== undefined) return [star];
  return [...(message.split("star imports:")[1] ?? "").matchAll(/[^\s,`]+/g)].map(([name]) => name);
}

function within(start: number, count: number): (finding: RuffFinding) => boolean {
  return ({ line }) => line >= start && line < start + count;
}
