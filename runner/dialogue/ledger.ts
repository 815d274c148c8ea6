import type { Change } from "../hands/hands.js";
import type { Case, LedgerEntry, Verdict } from "../session/events.js";
import { headOf } from "../support/bounded-text.js";

const entriesShown = 5;
const entryBytes = 6 * 1024;
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

/** The last rounds of a task for a prompt, oldest first; truncated when there were more or one had to be cut. */
export function renderLedger(entries: readonly LedgerEntry[]): { readonly text: string; readonly truncated: boolean } {
  const rounds = entries.slice(-entriesShown).map((entry) => headOf(renderEntry(entry), entryBytes));
  return {
    text: rounds.map((round) => round.text).join("\n\n"),
    truncated: entries.length > entriesShown || rounds.some((round) => round.truncated),
  };
}

function renderEntry(entry: LedgerEntry): string {
  return [
    `Round at iteration ${entry.iter}: ${entry.diff_summary}`,
    `Case: ${entry.case.summary}`,
    ...entry.case.ac_coverage.map((one) => `  criterion ${one.criterion}: ${one.addressed_by}`),
    ...entry.case.work_arounds.map((one) => `  work-around: ${one}`),
    ...entry.case.uncertainties.map((one) => `  uncertain: ${one}`),
    ...verdictLines(entry.verdict),
  ].join("\n");
}

/** A verdict for a prompt. */
export function verdictLines(verdict: Verdict): readonly string[] {
  const category = verdict.rejection_category === null ? "" : ` (${verdict.rejection_category})`;
  return [
    `Verdict: ${verdict.verdict}${category}: ${verdict.concern}`,
    ...verdict.evidence.map((item) => `  evidence: ${item}`),
    ...(verdict.next_step === null ? [] : [`  next step: ${verdict.next_step}`]),
  ];
}
