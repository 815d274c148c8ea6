import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  renameSync,
} from "node:fs";
import { errnoCode, machineTrouble } from "./disk-trouble.js";

export type RegularFile = { readonly ok: true; readonly content: Buffer } | Unread;

/** A file that was not read, with the reason. */
export type Unread =
  | { readonly ok: false; readonly why: "missing" | "link" | "not_regular" | "too_big" }
  | { readonly ok: false; readonly why: "unreadable"; readonly cause: unknown };

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/**
 * Reads a file that somebody else may have made: follows no link, reads nothing but a regular file, never waits in an
 * open (a FIFO would), and takes at most `maxBytes`, even of a file that grows meanwhile.
 */
export function readRegular(path: string, maxBytes: number): RegularFile {
  let fd: number;
  try {
    // checked before the open, because opening a device can do something, and again on the opened file
    if (!lstatSync(path).isFile()) return refused(lstatSync(path).isSymbolicLink() ? "link" : "not_regular");
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    return fromErrno(error);
  }
  try {
    return readOpened(fd, maxBytes);
  } catch (error) {
    return fromErrno(error);
  } finally {
    closeSync(fd);
  }
}

function readOpened(fd: number, maxBytes: number): RegularFile {
  const stat = fstatSync(fd);
  if (!stat.isFile()) return refused("not_regular");
  if (stat.size > maxBytes) return refused("too_big");
  const buffer = Buffer.alloc(Math.min(maxBytes, stat.size) + 1);
  let length = 0;
  for (let got = -1; got !== 0 && length < buffer.length; length += got) {
    got = readSync(fd, buffer, length, buffer.length - length, null);
  }
  // it grew while it was read, so this is only a part of the file
  return length > stat.size ? refused("too_big") : { ok: true, content: buffer.subarray(0, length) };
}

function refused(why: "link" | "not_regular" | "too_big"): RegularFile {
  return { ok: false, why };
}

function fromErrno(error: unknown): RegularFile {
  const code = errnoCode(error);
  if (code === null) throw error;
  if (code === "ENOENT" || code === "ENOTDIR") return { ok: false, why: "missing" };
  return code === "ELOOP" ? refused("link") : { ok: false, why: "unreadable", cause: error };
}

/** Says why a file was not read, in words that follow its path. */
export function sayRefusal(file: Unread): string {
  switch (file.why) {
    case "missing":
      return "is missing";
    case "link":
      return "is a link; only plain files are read";
    case "not_regular":
      return "is not a plain file";
    case "too_big":
      return "is too big";
    case "unreadable":
      return `cannot be read (${errnoCode(file.cause)})`;
  }
}

/**
 * A folder held open, so that swapping it for a link between two looks changes nothing: names and files come from the
 * folder that was opened (where the system has /proc; elsewhere by path).
 */
export class OpenFolder implements Disposable {
  readonly #fd: number;
  readonly #path: string;

  /** Returns null when `path` is no real folder; a failing disk proves nothing and is TilthError `infra`. */
  static open(path: string, followLink: boolean): OpenFolder | null {
    try {
      return new OpenFolder(openSync(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | (followLink ? 0 : O_NOFOLLOW)), path);
    } catch (error) {
      if (errnoCode(error) === null) throw error;
      const trouble = machineTrouble(error);
      if (trouble !== null) throw trouble;
      return null;
    }
  }

  private constructor(fd: number, path: string) {
    this.#fd = fd;
    this.#path = existsSync(`/proc/self/fd/${fd}`) ? `/proc/self/fd/${fd}` : path;
  }

  /** Returns the names, sorted, or null when there are more than `limit`. */
  names(limit: number): string[] | null {
    const folder = opendirSync(this.#path);
    try {
      const names: string[] = [];
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        if (names.push(entry.name) > limit) return null;
      }
      return names.sort();
    } finally {
      folder.closeSync();
    }
  }

  read(name: string, maxBytes: number): RegularFile {
    return readRegular(`${this.#path}/${name}`, maxBytes);
  }

  /** Replaces any file or link of that name without opening or following it. */
  moveIn(from: string, name: string): void {
    renameSync(from, `${this.#path}/${name}`);
  }

  folder(name: string): OpenFolder | null {
    return OpenFolder.open(`${this.#path}/${name}`, false);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
