import type { ScanFinding } from "../hands/ports/checks/checks.js";
import type { Objection } from "./tests.js";

const mostFindings = 200;

/** True for a finding that fails a tree before any of it runs: such code could forge any test report. */
export function forges({ kind, excused }: ScanFinding): boolean {
  return kind === "forges" && !excused;
}

export function objectionToFindings(findings: readonly ScanFinding[]): Objection | null {
  const refused = findings.filter(forges);
  if (refused.length === 0) return null;
  const said = [
    "The change adds what can forge the verdict of its own tests, so nothing was run. Solve it without, in plain code:",
    ...refused.slice(0, mostFindings).map(lineOf),
    "Only a task whose own text names such a construct may add it.",
  ].join("\n");
  return { reason: "forges_verdict", said };
}

/** Notes for the reviewer: suspicious code, and forging code that the task asks for. */
export function scanNotes(findings: readonly ScanFinding[]): readonly string[] {
  return findings
    .filter((finding) => !forges(finding))
    .map((finding) => lineOf(finding) + (finding.excused ? " (the task names it)" : ""));
}

function lineOf({ path, line, why }: ScanFinding): string {
  return `${path}:${line}: ${why}`;
}
