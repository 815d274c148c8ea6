import type { CheckRequest, RuffFinding, RuffReport } from "../hands/checks-port.js";

/** What makes two findings the same one: lines move, their text does not. */
function findingKey({ path, rule, lineText }: Pick<RuffFinding, "path" | "rule" | "lineText">): string {
  return JSON.stringify([path, rule, lineText]);
}

/** The findings of a base, as `CheckRequest.discounted` wants them. */
export function discountedBy(base: RuffReport): ReadonlySet<string> {
  return new Set(base.findings.map(findingKey));
}

/** Findings that count: new since the base, and not in a staged test, which was linted when it was staged. */
export function newFindings(
  report: RuffReport,
  { discounted, allStaged }: Pick<CheckRequest, "discounted" | "allStaged">,
): readonly RuffFinding[] {
  const staged = new Set(allStaged.map(({ path }) => path));
  return report.findings.filter((finding) => !staged.has(finding.path) && !discounted.has(findingKey(finding)));
}
