import { hostPath } from "../../runner/base/ids.js";
import { type SessionRow, SessionStore, sessionJson } from "../../runner/index.js";
import { statusOf } from "../choosing/choose-session.js";
import { exitOk } from "../output/exit-codes.js";
import { bold, dim, line, type Painted } from "../output/painted.js";
import { sayEnd, summaryLines } from "../output/summary-text.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadSettings } from "../settings/settings.js";

interface Options {
  readonly json?: boolean;
}

export async function listSessions({ output }: Surroundings, options: Options): Promise<number> {
  const rows = store().list();
  if (options.json) output.printJson(rows.map(sessionJson));
  else if (rows.length === 0) output.print("there are no sessions yet; stage one: tilth seed <source> --from <dir>");
  else for (const row of rows) for (const text of linesOf(row)) output.print(text);
  return exitOk;
}

export async function showSession({ output }: Surroundings, id: string, options: Options): Promise<number> {
  const sessions = store();
  const files = sessions.open(id);
  const summary = files.loadSummary();
  if (options.json) {
    output.printJson(summary);
    return exitOk;
  }
  const row = sessions.row(files.id);
  for (const text of linesOf(row)) output.print(text);
  if (summary === null) return exitOk;
  const { stop } = summary;
  if (stop !== null && row.lastStop !== null && row.problem === null)
    sayEnd(output, files, { summary, stop, ...summary.left_behind, cause: null });
  else for (const text of summaryLines(summary, output.tableColumns)) output.print(text);
  return exitOk;
}

function store(): SessionStore {
  return new SessionStore(hostPath(loadSettings().home));
}

function linesOf(row: SessionRow): readonly Painted[] {
  const facts = [statusOf(row), tasksOf(row), usedBy(row), ageOf(row.ageMs)].filter((fact) => fact !== "");
  const about = [row.label, row.source ?? ""].filter((text) => text !== "").join(" · ");
  return [
    line`${bold(row.id)}  ${facts.join(" · ")}`,
    ...(about === "" ? [] : [line`  ${dim(about)}`]),
    ...(row.problem === null ? [] : [line`  ${row.problem}`]),
  ];
}

function tasksOf({ tasks }: SessionRow): string {
  return tasks ? `${tasks.done} done, ${tasks.failed} failed, ${tasks.pending} pending` : "";
}

function usedBy({ tokens, cost }: SessionRow): string {
  if (!tokens) return "";
  return cost === null ? `${tokens} counted tokens` : `${tokens} counted tokens, $${cost.toFixed(4)}`;
}

function ageOf(ms: number | null): string {
  if (ms === null) return "";
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
