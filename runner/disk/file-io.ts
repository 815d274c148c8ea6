import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { errnoCode } from "./disk-trouble.js";

/**
 * The disk operations of every state write, as a port: a test can fail or cut off each one in turn. They are synchronous,
 * because a crash-safe order is only as good as the weakest `await` in it.
 */
export interface FileIo {
  open(path: string, flags: number, mode: number): number;
  /** returns how many bytes were written; fewer than asked is no error */
  write(fd: number, bytes: Uint8Array, position: number | null): number;
  sync(fd: number): void;
  truncate(fd: number, length: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  unlink(path: string): void;
}

export const nodeIo: FileIo = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  sync: (fd) => fsyncSync(fd),
  truncate: (fd, length) => ftruncateSync(fd, length),
  close: (fd) => closeSync(fd),
  rename: (from, to) => renameSync(from, to),
  link: (from, to) => linkSync(from, to),
  unlink: (path) => unlinkSync(path),
};

export function writeWhole(fd: number, bytes: Uint8Array, io: FileIo): void {
  for (let done = 0; done < bytes.length; ) done += io.write(fd, bytes.subarray(done), null);
}

/** Makes changes of names in `folder` durable: new, moved and removed ones. */
export function syncFolder(folder: string, io: FileIo): void {
  const fd = io.open(folder, constants.O_RDONLY | constants.O_DIRECTORY, 0);
  try {
    io.sync(fd);
  } catch (error) {
    // some network and FUSE file systems cannot sync a folder, and nothing more can be had from them
    if (errnoCode(error) !== "EINVAL" && errnoCode(error) !== "ENOTSUP") throw error;
  } finally {
    io.close(fd);
  }
}

export function unlinkQuietly(path: string, io: FileIo): void {
  try {
    io.unlink(path);
  } catch {
    // it is clutter, and the failure that led here reports the trouble
  }
}
