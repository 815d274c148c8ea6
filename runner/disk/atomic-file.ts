import { randomBytes } from "node:crypto";
import { constants, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskTrouble, errnoCode } from "./disk-trouble.js";
import { type FileIo, nodeIo, syncFolder, unlinkQuietly, writeWhole } from "./file-io.js";

const suffix = ".tmp";
const strangersSuffix = ".part";
const strangersMs = 60_000;
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Makes `path` hold exactly `content`, readable by its owner only. On return that is durable; on failure (TilthError
 * `infra`) or a crash at any instant the file holds what it held before or all of the new content, never anything else.
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, io: FileIo = nodeIo): void {
  const temporary = `${path}.${randomBytes(4).toString("hex")}${suffix}`;
  try {
    writeNew(temporary, typeof content === "string" ? Buffer.from(content) : content, io);
    io.rename(temporary, path);
    syncFolder(dirname(path), io);
  } catch (error) {
    unlinkQuietly(temporary, io);
    throw diskTrouble("write", path, error);
  }
}

/** Names a temporary file beside `path` for a process that is not the one writer of that session's folder. */
export function strangersTemporary(path: string): string {
  return `${path}.${randomBytes(8).toString("hex")}${strangersSuffix}`;
}

/** Like `writeFileAtomic`, for content that comes in pieces and is never whole in memory; any process may call it. */
export async function writePiecesAtomic(
  path: string,
  pieces: AsyncIterable<string>,
  io: FileIo = nodeIo,
): Promise<void> {
  const temporary = strangersTemporary(path);
  try {
    const fd = io.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for await (const piece of pieces) writeWhole(fd, Buffer.from(piece), io);
      io.sync(fd);
    } finally {
      io.close(fd);
    }
    io.rename(temporary, path);
    syncFolder(dirname(path), io);
  } catch (error) {
    unlinkQuietly(temporary, io);
    throw diskTrouble("write", path, error);
  }
}

/** Creates a file that must not exist yet and syncs its content. */
function writeNew(path: string, bytes: Uint8Array, io: FileIo): void {
  const fd = io.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeWhole(fd, bytes, io);
    io.sync(fd);
  } finally {
    io.close(fd);
  }
}

/** Removes dead writers' files in `folder`; only for its one writer. A stranger's young file may be in use. */
export function sweepTemporaries(folder: string, now: Date): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (name.endsWith(suffix) || (name.endsWith(strangersSuffix) && isOld(path, now))) unlinkQuietly(path, nodeIo);
  }
}

function isOld(path: string, now: Date): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && now.getTime() - stat.mtimeMs > strangersMs;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return [];
    throw diskTrouble("read", folder, error);
  }
}
