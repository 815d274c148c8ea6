import { closeSync, constants, openSync, writeSync } from "node:fs";
import { type Logger, pino } from "pino";

export type Log = Pick<Logger, "debug" | "info" | "warn" | "error">;

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Diagnostics of one session, in `tilth.log`. Only this file and chat.html may fail without a word. */
export class LogFile implements Disposable {
  readonly log: Log;
  #fd: number | null;

  constructor(path: string, mask: (text: string) => string) {
    this.#fd = openQuietly(path);
    this.log = pino({ base: { pid: process.pid } }, { write: (line) => this.#write(mask(line)) });
  }

  #write(line: string): void {
    if (this.#fd === null) return;
    try {
      writeSync(this.#fd, line);
    } catch {
      // a full disk stops the session where it matters, not here
    }
  }

  [Symbol.dispose](): void {
    const fd = this.#fd;
    this.#fd = null;
    try {
      if (fd !== null) closeSync(fd);
    } catch {
      // a network disk may report only now that it could not write
    }
  }
}

function openQuietly(path: string): number | null {
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch {
    return null;
  }
}
