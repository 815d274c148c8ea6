import { closeSync, futimesSync, linkSync, lstatSync, openSync, rmSync, writeFileSync } from "node:fs";
import { strangersTemporary } from "../../disk/atomic-file.js";
import { errnoCode } from "../../disk/disk-trouble.js";
import { readRegular } from "../../disk/read-regular.js";
import { SessionLock } from "../../session/lock/lock.js";

const mostBytes = 16_384;

interface PreviousLock {
  readonly content: Buffer;
  readonly modified: Date;
}

/**
 * A session's lock for a reader that changes nothing: afterwards it puts back the lock of a dead process that it
 * replaced.
 */
export class BorrowedLock implements Disposable {
  readonly #path: string;
  readonly #lock: SessionLock;
  readonly #before: PreviousLock | null;

  /** Fails as SessionLock.acquire does. */
  static acquire(path: string): BorrowedLock {
    const file = readRegular(path, mostBytes);
    const modified = lstatSync(path, { throwIfNoEntry: false })?.mtime;
    const before = file.ok && modified ? { content: file.content, modified } : null;
    return new BorrowedLock(path, SessionLock.acquire(path), before);
  }

  private constructor(path: string, lock: SessionLock, before: PreviousLock | null) {
    this.#path = path;
    this.#lock = lock;
    this.#before = before;
  }

  get lost(): AbortSignal {
    return this.#lock.lost;
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
    if (this.#lock.takenOver !== null && this.#before !== null) this.#putBack(this.#before);
  }

  /** Restores the file whole or not at all, and never over another process's lock. */
  #putBack({ content, modified }: PreviousLock): void {
    const temporary = strangersTemporary(this.#path);
    try {
      const fd = openSync(temporary, "wx", 0o600);
      try {
        writeFileSync(fd, content);
        linkSync(temporary, this.#path);
        futimesSync(fd, modified, modified);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      if (errnoCode(error) === null) throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}
