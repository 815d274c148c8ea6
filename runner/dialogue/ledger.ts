import type { Change } from "../hands/ports/clerk.js";
import type { Case, LedgerEntry, Verdict } from "../session/log/events/verdicts.js";
import { type Bounded, headOf } from "../text/bounded-text.js";

const entriesShown = 5;
/** for case and verdict each, so that neither takes the other's room */
const partBytes = 3 * 1024;
const mostNamed = 20;

export function ledgerEntry(
  at: { readonly now: Date; readonly iter: number },
  changes: readonly Change[],
  presented: Case,
  verdict: Verdict,
): LedgerEntry {
  return {
    ts: at.now.toISOString(),
    iter: at.iter,
    diff_summary: diffSummary(changes),
    case: presented,
    verdict,
  };
}

/** `3 files: 1 added, 2 modified (added src/a.py, modified …)` */
export function diffSummary(changes: readonly Change[]): string {
  if (changes.length === 0) return "no files changed";
  const kinds = ["added", "modified", "deleted", "type_changed"] as const;
  const counts = kinds
    .map((kind) => ({ kind, count: changes.filter((change) => change.status === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}`);
  const named = changes.slice(0, mostNamed).map(({ status, path }) => `${status} ${path.slice(0, 200)}`);
  const more = changes.length > named.length ? [`${changes.length - named.length} more`] : [];
  return `${changes.length} files: ${counts.join(", ")} (${[...named, ...more].join(", ")})`;
}

/** Renders the last rounds of a task for a prompt, oldest first; truncated if there were more rounds or one was cut. */
export function renderLedger(entries: readonly LedgerEntry[]): Bounded {
  const rounds = entries.slice(-entriesShown).map(renderEntry);
  return {
    text: rounds.map((round) => round.text).join("\n\n"),
    truncated: entries.length > entriesShown || rounds.some((round) => round.truncated),
  };
}

function renderEntry(entry: LedgerEntry): Bounded {
  const parts = [caseLines(entry), verdictLines(entry.verdict)].map((lines) => headOf(lines.join("\n"), partBytes));
  return { text: parts.map(({ text }) => text).join("\n"), truncated: parts.some(({ truncated }) => truncated) };
}

function caseLines({ iter, diff_summary, case: presented }: LedgerEntry): readonly string[] {
  return [
    `Round at iteration ${iter}: ${diff_summary}`,
    `Case: ${presented.summary}`,
    ...presented.ac_coverage.map(coverageLine),
    ...presented.work_arounds.map((one) => `  work-around: ${one}`),
    ...presented.uncertainties.map((one) => `  uncertain: ${one}`),
  ];
}

function coverageLine({ criterion, addressed_by, evidence }: Case["ac_coverage"][number]): string {
  return `  criterion ${criterion}: ${addressed_by}${evidence ? ` (evidence: ${evidence})` : ""}`;
}

/** Renders a verdict for a prompt. */
export function verdictLines(verdict: Verdict): readonly string[] {
  const category = verdict.rejection_category === null ? "" : ` (${verdict.rejection_category})`;
  return [
    `Verdict: ${verdict.verdict}${category}: ${verdict.concern}`,
    ...verdict.evidence.map((item) => `  evidence: ${item}`),
    ...(verdict.next_step === null ? [] : [`  next step: ${verdict.next_step}`]),
  ];
}
