import { OpenFolder } from "../../../disk/read-regular.js";
import { type LedgerEntry, ledgerEntrySchema } from "../../../session/log/events/verdicts.js";
import type { SessionFiles } from "../../../session/session-files.js";
import { wholeLines } from "../../../session/state/append-lines.js";
import { loadTextIfThere, parseState } from "../../../session/state/state-file.js";
import { ofTask } from "../log/acceptances.js";
import { absent, type Findings } from "../log/findings.js";
import type { RecordedLog } from "../log/recorded-log.js";
import { unlikeLines } from "./aligned-lines.js";
import { readable } from "./state-files.js";

const mostLedgers = 100_000;

/** Compares every line of every ledger with its event. */
export function compareLedgers(
  files: SessionFiles,
  {
    log,
    taskIds,
    findings,
  }: { readonly log: RecordedLog; readonly taskIds: readonly string[]; readonly findings: Findings },
): void {
  for (const name of strangers(files, taskIds))
    findings.differ({ what: "ledger", where: `ledger/${name}`, expected: absent, seen: "a file of no task" });
  for (const taskId of taskIds) {
    const seen = ledgerLines(files, taskId, findings);
    if (seen === null) continue;
    const expected = ofTask(log, "ledger_appended", taskId).map(({ payload }) => payload.entry);
    const same = (one: LedgerEntry, other: LedgerEntry) => JSON.stringify(one) === JSON.stringify(other);
    for (const pair of unlikeLines(expected, seen, same)) {
      const where = `ledger/${taskId}.jsonl line ${pair.at + 1}`;
      findings.hold(`ledger of ${taskId}`, where, {
        expected: pair.expected ?? undefined,
        seen: pair.seen ?? undefined,
      });
    }
  }
  findings.compared.push("every line of the ledgers, with the log");
}

function ledgerLines(files: SessionFiles, taskId: string, findings: Findings): readonly LedgerEntry[] | null {
  const path = files.ledgerPath(taskId);
  const name = `ledger/${taskId}.jsonl`;
  return readable(name, findings, () =>
    wholeLines(loadTextIfThere(path)).map((line, index) =>
      parseState(`line ${index + 1} of ${path}`, line, ledgerEntrySchema),
    ),
  );
}

function strangers({ paths }: SessionFiles, taskIds: readonly string[]): readonly string[] {
  using folder = OpenFolder.open(paths.ledgers, false);
  const known = new Set(taskIds.map((id) => `${id}.jsonl`));
  return (folder?.names(mostLedgers) ?? []).filter((name) => !known.has(name) && !name.endsWith(".tmp"));
}
