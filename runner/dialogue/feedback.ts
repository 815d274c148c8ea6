import { say } from "../base/prompts.js";
import type { Diff } from "../hands/ports/clerk.js";
import type { CheckResult } from "../session/log/events/checks.js";
import type { Verdict } from "../session/log/events/verdicts.js";
import { endsOf, headOf } from "../text/bounded-text.js";

const checkBytes = 2 * 1024;
const listBytes = 2 * 1024;
/** one path alone can be longer than the whole list may be */
const pathBytes = 300;

/** Tells the worker of a rejection in the evaluator's own words. */
export function rejection(verdict: Verdict): string {
  if (verdict.parse_failed) return verdict.concern;
  return say("rejected", {
    category: verdict.rejection_category ?? "none",
    concern: verdict.concern,
    evidence: verdict.evidence.length === 0 ? "- none given" : verdict.evidence.map((item) => `- ${item}`).join("\n"),
    next_step: verdict.next_step ?? "none given",
  });
}

/** Reports the failed checks, each within its own limit, and the notes on judge files. */
export function checkReport(checks: readonly CheckResult[], integrityNotes: readonly string[]): string {
  const failed = checks.filter((check) => !check.passed);
  const parts = failed.map((check) =>
    say("check", {
      name: check.name,
      reason: check.reason ?? "no reason given",
      output: endsOf(check.output.trimEnd(), checkBytes).text,
    }),
  );
  if (integrityNotes.length > 0) parts.push(say("integrity-notes", { notes: list(integrityNotes) }));
  return say("check-failed", { report: parts.join("\n\n") });
}

export function noTree(problems: readonly { readonly path: string; readonly why: string }[]): string {
  return say("no-tree", { problems: list(problems.map(({ path, why }) => `${headOf(path, pathBytes).text}: ${why}`)) });
}

/** A change too large to be shown whole goes back to the worker, with the files that make it so large. */
export function tooLarge({ bytes, largest }: Diff, limit: number): string {
  const lines = largest.map(({ path, lines: count }) => {
    const name = headOf(path, pathBytes).text;
    return `${name}: ${count === null ? "a binary file" : `${count} lines`}`;
  });
  return say("too-large", { bytes: String(bytes), limit: String(limit), largest: list(lines) });
}

/** Adds the new files that were left out of the tree to the answer of a submit. */
export function withLeftOut(answer: string, paths: readonly string[]): string {
  if (paths.length === 0) return answer;
  return `${answer}\n\n${say("left-out", { paths: list(paths) })}`;
}

function list(items: readonly string[]): string {
  return headOf(items.map((item) => `- ${item}`).join("\n"), listBytes).text;
}
