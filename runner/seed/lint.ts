import { TilthError } from "../base/errors.js";
import type { Checks } from "../hands/ports/checks/checks.js";
import type { RuffFinding } from "../hands/ports/checks/ruff.js";
import { oneLine } from "../text/sanitise.js";
import type { Seed } from "./seed.js";

/** Returns the first finding of ruff in a seed's tests, a file that does not parse included; null if all are clean. */
export async function lintSeed(
  seed: Seed,
  checks: Pick<Checks, "lintFiles">,
  signal: AbortSignal,
): Promise<string | null> {
  const report = await checks.lintFiles(seed.tests, signal);
  if (report.exit === null || report.timedOut || report.problem !== "") {
    const why = report.timedOut ? "it took too long" : oneLine(report.problem, 200) || "it was killed";
    throw new TilthError(
      "infra",
      `ruff could not look at the seed's tests: ${why}`,
      "see what is wrong with the sandbox: tilth doctor",
    );
  }
  const [first, ...others] = report.findings;
  return first === undefined ? null : sayFinding(first, others.length, seed);
}

function sayFinding(finding: RuffFinding, more: number, seed: Seed): string {
  const task = seed.tests.find((test) => test.path === finding.path)?.taskId;
  const where = `${finding.path}${task === undefined ? "" : ` (${task})`}, line ${finding.line}`;
  const others = more === 0 ? "" : ` (and ${more} more)`;
  return `${where}: ruff says ${finding.rule} ${oneLine(finding.message, 200)}${others}`;
}
