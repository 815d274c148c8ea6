import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import { diskTrouble } from "../disk/disk-trouble.js";
import { nodeIo, unlinkQuietly } from "../disk/file-io.js";
import { systemProcesses } from "../disk/processes.js";
import {
  dropLockFile,
  encode,
  type HeldFile,
  inspectLockFile,
  type LockPorts,
  type TakenOver,
  takeLockFile,
} from "./lock-file.js";
import { isFresh, type LockRecord } from "./lock-holder.js";

const heartbeatMs = 10_000;
const systemPorts: LockPorts = { io: nodeIo, processes: systemProcesses, clock: systemClock };

/** The right to write to one session. Held until disposed of; a process that dies leaves it to be taken over. */
export class SessionLock implements Disposable {
  /** what stood here before, for the event `lock_taken_over`; null when the session was free */
  readonly takenOver: TakenOver | null;
  readonly #held: HeldFile;
  readonly #ports: LockPorts;
  readonly #timer: NodeJS.Timeout;
  readonly #lost = new AbortController();

  /** `path` is the session's lock file. Fails with TilthError `busy` naming the holder, or `infra` when the disk fails. */
  static acquire(path: string, ports: Partial<LockPorts> = {}): SessionLock {
    const all = { ...systemPorts, ...ports };
    try {
      const lock = new SessionLock(takeLockFile(path, all), all);
      sweep(path, all);
      return lock;
    } catch (error) {
      throw diskTrouble("lock", path, error);
    }
  }

  private constructor(held: HeldFile, ports: LockPorts) {
    this.#held = held;
    this.#ports = ports;
    this.takenOver = held.takenOver;
    this.#timer = setInterval(() => this.beat(), heartbeatMs).unref();
  }

  /** Aborted, with the TilthError as its reason, when the lock was taken over or removed under this process. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Asks the disk: a process that was stopped for long may have been taken for dead. */
  assertHeld(): void {
    if (inspectLockFile(this.#held.path, this.#ports)?.token === this.#held.record.token) return;
    const error = new TilthError(
      "busy",
      `the lock ${this.#held.path} was taken from this process`,
      "leave the session to the process that holds it now",
    );
    this.#lost.abort(error);
    throw error;
  }

  /** Shows others that this process lives. */
  beat(): void {
    try {
      this.assertHeld();
      const record = { ...this.#held.record, heartbeat: this.#ports.clock.now().toISOString() };
      // same length every time, and through the descriptor: it can only ever touch this process's own file
      this.#ports.io.write(this.#held.fd, encode(record), 0);
    } catch {
      // a lost lock is told by `lost`; a disk that fails once may take the next beat
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    try {
      dropLockFile(this.#held, this.#ports);
    } catch {
      // the folder may be gone with the session; a lock that stays behind is a dead process's and taken over
    }
  }
}

/** Who holds the lock now, for listings; null when nobody lives who does. */
export function lockHolder(path: string, ports: Partial<LockPorts> = {}): LockRecord | null {
  const found = inspectLockFile(path, { ...systemPorts, ...ports });
  return found?.standing.held ? found.record : null;
}

/** Claims and temporaries of processes that died while taking the lock; young ones may be somebody's at this moment. */
function sweep(path: string, ports: LockPorts): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const file = join(dirname(path), name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && !isFresh(stat.mtimeMs, ports.clock.now())) unlinkQuietly(file, ports.io);
  }
}
