import { closeSync, constants, openSync } from "node:fs";
import { diskTrouble, errnoCode } from "../../disk/disk-trouble.js";
import { linesOf, openLog, parseLine } from "./event-reader.js";
import { lastLine } from "./log-tail.js";

const enoughBytes = 256 * 1024;

export interface Batch {
  /** whole lines of the log, without their line breaks */
  readonly lines: readonly string[];
  /** byte position where the next batch begins */
  readonly end: number;
}

/**
 * Reads the next lines of a log that may still grow, from a position on; empty if there are none yet. A last line that
 * is not JSON is torn and held back: resuming the session cuts it off.
 */
export async function linesFrom(path: string, start: number): Promise<Batch> {
  await using file = await openLog(path);
  const lines: Buffer[] = [];
  let end = start;
  if (file !== null) {
    for await (const line of linesOf(file, path, start)) {
      lines.push(line);
      end += line.length + 1;
      // a line that is not JSON is torn only if it is the last, so reading must not stop at it
      if (end - start >= enoughBytes && parseLine(line) !== undefined) break;
    }
  }
  const last = lines.at(-1);
  if (last !== undefined && parseLine(last) === undefined) {
    lines.pop();
    end -= last.length + 1;
  }
  return { lines: lines.map((line) => line.toString("utf8")), end };
}

/** The position after the last whole line. */
export function endOfLog(path: string): number {
  try {
    return endIn(openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return 0;
    throw diskTrouble("read", path, error);
  }
}

function endIn(fd: number): number {
  try {
    return lastLine(fd).end;
  } finally {
    closeSync(fd);
  }
}
