import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TilthError } from "../../runner/base/errors.js";
import { isFinished, type SessionRow, type SessionStore } from "../../runner/index.js";
import { shellWord } from "../../runner/source/git/shell-word.js";
import { knowsWorktree, movedSource } from "../../runner/source/worktree/moved-source.js";
import type { Output } from "../output/output.js";
import { line } from "../output/painted.js";

export type Choice =
  /** prepared, or in use; then its lock names the holder */
  | { readonly kind: "run"; readonly row: SessionRow }
  /** there is nothing left to do in it */
  | { readonly kind: "finished"; readonly row: SessionRow }
  | NonePrepared;

export interface NonePrepared {
  readonly kind: "none";
  readonly source: string;
  /** the error, with the one command to type, if nobody can be asked */
  readonly refusal: TilthError;
}

export interface RunTarget {
  readonly source?: string | undefined;
  readonly session?: string | undefined;
}

/**
 * Finds the prepared session that `tilth run` means; TilthError `usage` with the one command to type if that is not
 * clear.
 */
export function chooseSession(store: SessionStore, asked: RunTarget): Choice {
  if (asked.session !== undefined) return bySessionId(store, asked.session);
  const source = asked.source === undefined ? workTreeAround(process.cwd()) : resolve(asked.source);
  if (!existsSync(source)) throw new TilthError("usage", `there is no folder '${source}'`, "name the git repository");
  const rows = store.ofSource(source);
  const [only, ...others] = rows.filter((row) => row.status === "prepared");
  const meant = only ?? rows.find((row) => row.heldBy !== null);
  if (meant === undefined) refuseIfMoved(store, source);
  if (meant === undefined) return { kind: "none", source, refusal: nonePrepared(source, rows) };
  if (others.length > 0) throw severalPrepared([meant, ...others]);
  return { kind: "run", row: meant };
}

/**
 * Finds the session for a verb that was given none, and says which: the newest, of the source around the current folder
 * if it has one.
 */
export function latestSession(store: SessionStore, output: Output): SessionRow {
  const row = store.latest(workTreeAround(process.cwd()));
  if (row === null)
    throw new TilthError("usage", "there are no sessions yet", "stage one: tilth seed <source> --from <dir>");
  output.say(line`the latest session is ${row.id}, ${statusOf(row)}${row.label === "" ? "" : `: ${row.label}`}`);
  return row;
}

function bySessionId(store: SessionStore, id: string): Choice {
  const { id: known } = store.open(id);
  const row = store.list().find((one) => one.id === known);
  if (row === undefined || row.status === null)
    throw new TilthError(
      "usage",
      `session ${known} cannot be read: ${row?.problem ?? "it is gone"}`,
      "list the sessions: tilth sessions",
    );
  if (row.status === "prepared") return { kind: "run", row };
  if (isFinished(row)) return { kind: "finished", row };
  if (row.heldBy) return { kind: "run", row };
  throw notPrepared(row);
}

/** Finds the work tree around a folder as git does. */
export function workTreeAround(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return folder;
  }
}

/** A repository that was moved after a session of it was made still has the session's worktree on record. */
function refuseIfMoved(store: SessionStore, source: string): void {
  for (const row of store.list()) {
    const { id, source: was } = row;
    if (was === null || isFinished(row) || existsSync(was)) continue;
    if (knowsWorktree(source, store.open(id).paths.worktree)) throw movedSource(id, was);
  }
}

function notPrepared(row: SessionRow): TilthError {
  const source = shellWord(row.source ?? "<source>");
  const stageAnew = `stage the seed again: tilth seed ${source} --from <dir>`;
  // a failed interview left nothing to resume
  const withoutTasks = row.status === "failed" && row.tasks === null;
  return new TilthError(
    "usage",
    `session ${row.id} is not prepared; it is ${statusOf(row)}`,
    row.status === "preparing"
      ? stageAnew
      : withoutTasks
        ? `tilth prep-feature ${source} --force`
        : `tilth resume ${row.id}`,
  );
}

function nonePrepared(source: string, rows: readonly SessionRow[]): TilthError {
  const unfinished = rows.find(({ status, tasks }) => tasks !== null && (status === "running" || status === "failed"));
  // it is still in flight: unless the hint mentions --force, the next staging would be refused
  const failedInterview = rows.some(({ status, tasks }) => tasks === null && status === "failed");
  const stage = failedInterview
    ? `tilth prep-feature ${shellWord(source)} --force`
    : `tilth seed ${shellWord(source)} --from <dir>`;
  return new TilthError(
    "usage",
    `no session of '${source}' is prepared${unfinished ? `; ${unfinished.id} is ${statusOf(unfinished)}` : ""}`,
    unfinished ? `tilth resume ${unfinished.id}` : stage,
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

/** Words a status as listings do: for a stopped session the reason, rather than just "running". */
export function statusOf(row: SessionRow): string {
  if (row.heldBy) return `${row.status ?? "unknown"}, held by process ${row.heldBy.pid} on ${row.heldBy.host}`;
  if (row.lastStop !== null && row.status !== "all_done") return `stopped: ${row.lastStop}`;
  return row.status ?? "unreadable";
}
