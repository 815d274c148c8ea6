import { randomBytes } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.js";
import { TilthError } from "../../base/errors.js";
import { strangersTemporary } from "../../disk/atomic-file.js";
import { diskTrouble, errnoCode } from "../../disk/disk-trouble.js";
import { type FileIo, unlinkQuietly, writeWhole } from "../../disk/file-io.js";
import type { ProcessTable } from "../../disk/processes.js";
import { readRegular, sayRefusal } from "../../disk/read-regular.js";
import { shellWord } from "../../source/git/shell-word.js";
import { isFresh, type LockRecord, lockRecordSchema, type Standing, standingOf } from "./lock-holder.js";

export interface LockPorts {
  readonly io: FileIo;
  readonly processes: ProcessTable;
  readonly clock: Pick<Clock, "now">;
}

export interface TakenOver {
  readonly holder: Readonly<Record<string, string | number | null>>;
  readonly reason: string;
}

export interface HeldFile {
  readonly path: string;
  readonly fd: number;
  readonly record: LockRecord;
  readonly takenOver: TakenOver | null;
}

interface FoundLock {
  readonly token: string;
  /** null if the file is not a readable lock */
  readonly record: LockRecord | null;
  readonly standing: Standing;
}

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Takes the lock file at `path`, or throws TilthError `busy` naming the holder.
 *
 * A free lock is taken by a hard link, which only one process can make. A stale one is replaced by a rename, and only
 * by the process that holds the claim on its token (a lock file of its own, taken the same way). If two processes saw
 * the same stale lock, the second one gets the claim later and finds that the token in the file is no longer the one it
 * claimed. If they removed the file first and made a new one, the second could remove what the first has just made.
 */
export function takeLockFile(path: string, ports: LockPorts): HeldFile {
  const record = newRecord(ports);
  const temporary = strangersTemporary(path);
  const fd = ports.io.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeWhole(fd, encode(record), ports.io);
    return { path, fd, record, takenOver: place(temporary, path, ports) };
  } catch (error) {
    ports.io.close(fd);
    throw error;
  } finally {
    unlinkQuietly(temporary, ports.io);
  }
}

/** Removes the lock if it is still this process's. */
export function dropLockFile(held: HeldFile, ports: LockPorts): void {
  ports.io.close(held.fd);
  withClaim(held.path, held.record.token, ports, () => ports.io.unlink(held.path));
}

export function encode(record: LockRecord): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

/** Null if there is no lock; TilthError `usage` for something that cannot be a lock. */
export function inspectLockFile(path: string, ports: Omit<LockPorts, "io">): FoundLock | null {
  const file = readRegular(path, 16_384);
  if (!file.ok && file.why === "missing") return null;
  if (!file.ok && (file.why === "link" || file.why === "not_regular")) throw noLock(path, sayRefusal(file));
  const record = file.ok ? decode(file.content) : null;
  if (record !== null)
    return { token: record.token, record, standing: standingOf(record, ports.processes, ports.clock.now()) };
  return unreadable(path, ports);
}

function newRecord(ports: LockPorts): LockRecord {
  const now = ports.clock.now().toISOString();
  return { v: 1, ...ports.processes.self(), token: randomBytes(8).toString("hex"), taken_at: now, heartbeat: now };
}

function decode(content: Buffer): LockRecord | null {
  try {
    return lockRecordSchema.parse(JSON.parse(content.toString("utf8")));
  } catch {
    return null;
  }
}

/**
 * A power cut can leave an empty file. A living holder rewrites its lock every few seconds, so an old one is not held.
 */
function unreadable(path: string, ports: Omit<LockPorts, "io">): FoundLock | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const held = isFresh(stat.mtimeMs, ports.clock.now());
  const standing: Standing = held ? { held, where: "here" } : { held, reason: "the lock could not be read" };
  return { token: `unreadable-${stat.ino}`, record: null, standing };
}

function place(temporary: string, path: string, ports: LockPorts): TakenOver | null {
  for (;;) {
    if (linked(temporary, path, ports.io)) return null;
    const found = inspectLockFile(path, ports);
    if (found === null) continue;
    if (found.standing.held) throw busy(path, found);
    const reason = found.standing.reason;
    const replaced = withClaim(path, found.token, ports, () => ports.io.rename(temporary, path));
    if (replaced) return { holder: { ...found.record }, reason };
  }
}

function linked(temporary: string, path: string, io: FileIo): boolean {
  try {
    io.link(temporary, path);
    return true;
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return false;
    throw diskTrouble("lock", path, error);
  }
}

/** Runs `act` if `path` holds `token`, while nobody else can change that; returns false if it does not. */
function withClaim(path: string, token: string, ports: LockPorts, act: () => void): boolean {
  const claim = takeLockFile(join(dirname(path), `lock.${token}.claim`), ports);
  try {
    if (inspectLockFile(path, ports)?.token !== token) return false;
    act();
    return true;
  } finally {
    ports.io.close(claim.fd);
    // nobody treats a claim as stale while its process lives, so it is still ours to remove
    unlinkQuietly(claim.path, ports.io);
  }
}

function noLock(path: string, why: string): TilthError {
  const message = `the lock of session ${basename(dirname(path))}, ${path}, ${why}`;
  return new TilthError("usage", message, `see what it is, then move it away: mv ${shellWord(path)} <elsewhere>`);
}

function busy(path: string, found: FoundLock): TilthError {
  const session = basename(dirname(path));
  if (found.record === null) {
    return new TilthError(
      "busy",
      `session ${session} is locked, and its lock cannot be read: ${path}`,
      "try again in a minute",
    );
  }
  const { pid, host, taken_at: since } = found.record;
  const where = found.standing.held ? found.standing.where : "here";
  const hints = {
    here: `wait for it to end, or stop it: kill ${pid}`,
    another_namespace: "wait for it to end, or stop it in its container; the session is free one minute after it ends",
    another_host: `stop it there; if it no longer runs, remove the lock: rm ${shellWord(path)}`,
  };
  return new TilthError(
    "busy",
    `session ${session} is in use by process ${pid} on ${host} since ${since}`,
    hints[where],
  );
}
