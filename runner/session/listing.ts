import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { TilthError } from "../base/errors.js";
import type { HostPath, SessionId } from "../base/ids.js";
import { diskTrouble, errnoCode } from "../disk/disk-trouble.js";
import { oneLine } from "../text/sanitise.js";
import { lockHolder } from "./lock/lock.js";
import { eventSchema, type Payload } from "./log/events.js";
import { lastLine } from "./log/log-tail.js";
import type { SessionFiles } from "./session-files.js";
import type { SessionStatus } from "./state/checkpoint.js";
import type { Prd } from "./state/prd.js";

/** One session in a listing or a picker. */
export interface SessionRow {
  readonly id: SessionId;
  /** the first problem with its files, or null; the rest of the row has what could be read */
  readonly problem: string | null;
  readonly status: SessionStatus | null;
  /** why the last run stopped; null during a run, before the first, or if it died without a `stop` */
  readonly lastStop: Payload<"stop">["reason"] | null;
  /** the process that holds its lock now */
  readonly heldBy: { readonly pid: number; readonly host: string } | null;
  readonly source: string | null;
  /** printable, at most 60 characters */
  readonly label: string;
  readonly tasks: { readonly done: number; readonly failed: number; readonly pending: number } | null;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly createdAt: string | null;
  readonly ageMs: number | null;
}

export function rowOf(files: SessionFiles, now: Date): SessionRow {
  const problems: string[] = [];
  const tried = <T>(load: () => T): T | null => {
    try {
      return load();
    } catch (error) {
      problems.push(error instanceof TilthError ? error.message : String(error));
      return null;
    }
  };
  const isFolder = lstatSync(files.paths.folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) return emptyRow(files.id, "is a link or no folder; nothing behind it is read");
  const checkpoint = tried(() => files.loadCheckpoint());
  // a session without tasks is not damaged
  const prd = files.hasPrd() ? tried(() => files.loadPrd()) : null;
  const holder = tried(() => lockHolder(files.paths.lock));
  return {
    ...emptyRow(files.id, null),
    status: checkpoint?.status ?? null,
    lastStop: tried(() => lastStop(files.paths.events)),
    heldBy: holder && { pid: holder.pid, host: oneLine(holder.host, 60) },
    source: checkpoint?.source ?? null,
    label: labelOf(files, prd),
    tasks: prd && countTasks(prd),
    tokens: checkpoint?.tokens ?? null,
    cost: checkpoint?.cost ?? null,
    createdAt: checkpoint?.created_at ?? null,
    ageMs: checkpoint && Math.max(0, now.getTime() - Date.parse(checkpoint.created_at)),
    problem: problems[0] === undefined ? null : oneLine(problems[0], 300),
  };
}

/**
 * True if the session is all done and nobody holds it. Checkpoint and log must agree, because a kill on the last steps
 * leaves one behind.
 */
export function isFinished(row: SessionRow): boolean {
  return saysAllDone(row) && row.heldBy === null;
}

/** For the holder of its lock: the checkpoint alone is not trusted. */
export function saysAllDone({ status, lastStop }: Pick<SessionRow, "status" | "lastStop">): boolean {
  return status === "all_done" && lastStop === "all_done";
}

/** Reads only the end of the log, however long it is. */
function lastStop(events: HostPath): Payload<"stop">["reason"] | null {
  try {
    return stopAtEnd(openSync(events, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return null;
    throw diskTrouble("read", events, error);
  }
}

function stopAtEnd(fd: number): Payload<"stop">["reason"] | null {
  try {
    const event = eventSchema.safeParse(lastLine(fd).value);
    return event.success && event.data.type === "stop" ? event.data.payload.reason : null;
  } finally {
    closeSync(fd);
  }
}

function labelOf(files: SessionFiles, prd: Prd | null): string {
  return oneLine(firstBullet(files) ?? prd?.[0]?.title ?? "", 60);
}

function firstBullet(files: SessionFiles): string | null {
  try {
    const bullet = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*)$/m.exec(files.loadSeedMeta().tldr)?.[1];
    return bullet?.replace(/\*\*|__|`/g, "") ?? null;
  } catch {
    // the label is a convenience; the first task's title does as well
    return null;
  }
}

function countTasks(prd: Prd): NonNullable<SessionRow["tasks"]> {
  const count = (status: string) => prd.filter((task) => task.status === status).length;
  return { done: count("done"), failed: count("failed"), pending: count("pending") };
}

function emptyRow(id: SessionId, problem: string | null): SessionRow {
  const nothing = { status: null, lastStop: null, heldBy: null, source: null, tasks: null, tokens: null, cost: null };
  return { id, problem, label: "", createdAt: null, ageMs: null, ...nothing };
}
