import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../../base/clock.js";
import { TilthError } from "../../base/errors.js";
import { diskTrouble } from "../../disk/disk-trouble.js";
import { nodeIo, unlinkQuietly } from "../../disk/file-io.js";
import { systemProcesses } from "../../disk/processes.js";
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

/** The right to write to one session, held until disposed. If the process dies, another may take the lock over. */
export class SessionLock implements Disposable {
  /** the stale lock it replaced, for the event `lock_taken_over`; null if the session was free */
  readonly takenOver: TakenOver | null;
  readonly #held: HeldFile;
  readonly #ports: LockPorts;
  readonly #timer: NodeJS.Timeout;
  readonly #lost = new AbortController();

  /** `path` is the session's lock file. Throws TilthError `busy` naming the holder, or `infra` if the disk fails. */
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

  /** Aborts, with the TilthError as its reason, when the lock is taken over or removed under this process. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Looks at the disk: a process that was stopped for long may have been taken for dead. */
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
      // always the same length and through the descriptor, so it can only touch this process's own file
      this.#ports.io.write(this.#held.fd, encode(record), 0);
    } catch {
      // `lost` reports a lost lock; after a disk failure the next beat may succeed
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    try {
      dropLockFile(this.#held, this.#ports);
    } catch {
      // the folder may be gone with the session; a lock left behind counts as a dead process's and is taken over
    }
  }
}

/** Returns the current holder for listings; null if no living process holds the lock. */
export function lockHolder(path: string, ports: Partial<LockPorts> = {}): LockRecord | null {
  const found = inspectLockFile(path, { ...systemPorts, ...ports });
  return found?.standing.held ? found.record : null;
}

/**
 * Removes claims and temporaries of processes that died while taking the lock; young ones may be in use at this moment.
 */
function sweep(path: string, ports: LockPorts): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const file = join(dirname(path), name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && !isFresh(stat.mtimeMs, ports.clock.now())) unlinkQuietly(file, ports.io);
  }
}
