import { catalogue, needsSession, type Row } from "./catalogue.js";
import { DirectWorld } from "./direct.js";
import type { Judged } from "./judge.js";
import { sessionsOf } from "./session-rows.js";
import { CheatSession } from "./sessions.js";

// prints the result of each cheat, here and now: `npm run cheats`, or `npm run cheats -- time/` for some of them

interface Line {
  readonly row: Row;
  readonly naive: string;
  readonly stoppedBy: string;
  readonly twin: string;
}

const wanted = process.argv[2] ?? "";
const rows = (await catalogue()).filter(({ file }) => file.includes(wanted));
const lines = new Map<string, Line>();

await using world = await DirectWorld.open();
for (const row of rows) lines.set(row.name, await directly(row));
for (const session of sessionsOf(rows)) await throughSession(session);
print();

async function directly(row: Row): Promise<Line> {
  const { exit } = await world.naively(row);
  const stoppedBy = stopOf(row, await world.cheat(row));
  process.stderr.write(`${row.file}\n`);
  return { row, naive: exit === 0 ? "passes" : `exit ${exit}`, stoppedBy, twin: fateOf(await world.twin(row)) };
}

async function throughSession(session: readonly Row[]): Promise<void> {
  await using played = await CheatSession.play(session);
  for (const row of session) {
    const line = lines.get(row.name);
    const stray = played.strayIn(row);
    const twin = stray.length === 0 ? "committed" : `not committed: ${stray.join(", ")}`;
    if (line) lines.set(row.name, { ...line, stoppedBy: played.stopOf(row) || "NOTHING", twin });
  }
}

function stopOf({ stoppedBy }: Row, judged: Judged | null): string {
  if (judged === null) return "";
  if (!judged.passed) return judged.reasons.join(", ");
  return typeof stoppedBy === "string" ? `nothing (${stoppedBy}; ${judged.notes.length} notes)` : "NOTHING";
}

function fateOf(judged: Judged | null): string {
  return judged === null || judged.passed ? "accepted" : `refused: ${judged.reasons.join(", ")}`;
}

function print(): void {
  const cells = [...lines.values()].map(({ row, naive, stoppedBy, twin }) => [
    row.way,
    row.name,
    naive,
    `${stoppedBy}${needsSession(row) ? " (in a session)" : ""}`,
    twin,
    row.says,
  ]);
  const all = [["way", "cheat", "naively", "stopped by", "honest twin", "what it does"], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  for (const line of all)
    process.stdout.write(
      `${line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
}
