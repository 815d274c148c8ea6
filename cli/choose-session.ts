import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TilthError } from "../runner/errors.js";
import type { SessionRow, SessionStore } from "../runner/index.js";
import { shellWord } from "../runner/source/shell-word.js";

export type Choice =
  /** prepared, or in use: then its lock names who holds it */
  | { readonly kind: "run"; readonly row: SessionRow }
  /** there is nothing left to do in it */
  | { readonly kind: "finished"; readonly row: SessionRow };

export interface Asked {
  readonly source?: string | undefined;
  readonly session?: string | undefined;
}

/** Which prepared session `tilth run` means; TilthError `usage` with the one command to type when it means none. */
export function chooseSession(store: SessionStore, asked: Asked): Choice {
  if (asked.session !== undefined) return bySessionId(store, asked.session);
  const source = asked.source === undefined ? workTreeAround(process.cwd()) : resolve(asked.source);
  if (!existsSync(source)) throw new TilthError("usage", `there is no folder '${source}'`, "name the git repository");
  const rows = store.ofSource(source);
  const [only, ...others] = rows.filter((row) => row.status === "prepared");
  const meant = only ?? rows.find((row) => row.heldBy !== null);
  if (meant === undefined) throw nonePrepared(source, rows);
  if (others.length > 0) throw severalPrepared([meant, ...others]);
  return { kind: "run", row: meant };
}

function bySessionId(store: SessionStore, id: string): Choice {
  const { id: known } = store.open(id);
  const row = store.list().find((one) => one.id === known);
  if (row === undefined || row.status === null)
    throw new TilthError(
      "usage",
      `session ${known} cannot be read: ${row?.problem ?? "it is gone"}`,
      "see which can: tilth sessions",
    );
  if (row.status === "prepared") return { kind: "run", row };
  if (row.status === "all_done") return { kind: "finished", row };
  if (row.heldBy) return { kind: "run", row };
  throw notPrepared(row);
}

/** As git finds it: where the folder lies inside a work tree, that. */
function workTreeAround(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return folder;
  }
}

function notPrepared(row: SessionRow): TilthError {
  const stageAnew = `stage a seed anew: tilth seed ${shellWord(row.source ?? "<source>")} --from <dir>`;
  return new TilthError(
    "usage",
    `session ${row.id} is not prepared; it is ${statusOf(row)}`,
    row.status === "preparing" ? stageAnew : `tilth resume ${row.id}`,
  );
}

function nonePrepared(source: string, rows: readonly SessionRow[]): TilthError {
  const unfinished = rows.find((row) => row.status === "running" || row.status === "failed");
  return new TilthError(
    "usage",
    `no session of '${source}' is prepared${unfinished ? `; ${unfinished.id} is ${statusOf(unfinished)}` : ""}`,
    unfinished ? `tilth resume ${unfinished.id}` : `tilth seed ${shellWord(source)} --from <dir>`,
  );
}

function severalPrepared(rows: readonly SessionRow[]): TilthError {
  const list = rows.map((row) => `    ${row.id}  ${row.label}`).join("\n");
  return new TilthError(
    "usage",
    `several sessions of this source are prepared:\n${list}`,
    `tilth run --session ${rows[0]?.id ?? "<id>"}`,
  );
}

/** As listings say it: how a stopped session stopped, rather than just "running". */
export function statusOf(row: SessionRow): string {
  if (row.heldBy) return `${row.status ?? "unknown"}, held by process ${row.heldBy.pid} on ${row.heldBy.host}`;
  if (row.lastStop !== null && row.status !== "all_done") return `stopped: ${row.lastStop}`;
  return row.status ?? "unreadable";
}
