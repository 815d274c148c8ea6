import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { TilthError } from "../../runner/base/errors.js";
import { shellWord } from "../../runner/source/git/shell-word.js";

/** A file in `$TILTH_HOME` that the person writes. */
export interface HostFile {
  readonly path: string;
  /** its name in a sentence: "the settings file" */
  readonly what: string;
  readonly maxKb: number;
  /** the remedy if the file has to be written again */
  readonly anew: string;
}

/** Null if the file is missing. Opening never waits (a FIFO would); TilthError `usage` if the file cannot be read. */
export function readHostFile({ path, what, maxKb, anew }: HostFile): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new TilthError("usage", `cannot read ${what} ${path} (${code})`, readableAgain({ path, anew }, code), error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > maxKb * 1024)
      throw new TilthError("usage", `${path} is not a plain file of at most ${maxKb} KB`, anew);
    // editors on Windows begin a file with a byte order mark, which would become part of its first name
    return readFileSync(fd, "utf8").replace(/^\ufeff/, "");
  } finally {
    closeSync(fd);
  }
}

function readableAgain({ path, anew }: Pick<HostFile, "path" | "anew">, code: string | undefined): string {
  if (code === "ENOTDIR") return `set TILTH_HOME to a folder: ${dirname(path)} is none`;
  return code === "ELOOP" ? anew : `make it readable: chmod 600 ${shellWord(path)}`;
}
