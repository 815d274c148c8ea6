import { randomBytes } from "node:crypto";
import { constants, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskTrouble, errnoCode } from "./disk-trouble.js";
import { type FileIo, nodeIo, syncFolder, unlinkQuietly, writeWhole } from "./file-io.js";

const suffix = ".tmp";
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

/** A file that did not exist before, whole and durable under its own name. */
function writeNew(path: string, bytes: Uint8Array, io: FileIo): void {
  const fd = io.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeWhole(fd, bytes, io);
    io.sync(fd);
  } finally {
    io.close(fd);
  }
}

/** Removes what writers that died left in `folder`; only for its one writer. */
export function sweepTemporaries(folder: string, io: FileIo = nodeIo): void {
  for (const name of namesIn(folder)) {
    if (name.endsWith(suffix)) unlinkQuietly(join(folder, name), io);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return [];
    throw diskTrouble("read", folder, error);
  }
}
