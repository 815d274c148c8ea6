import { fstatSync, readSync } from "node:fs";
import { parseLine } from "./event-reader.js";

const stepBytes = 64 * 1024;
const newline = 0x0a;

export interface Tail {
  /** end of the whole lines; anything after it is torn */
  readonly end: number;
  /** the last whole line, parsed; undefined if there is none */
  readonly value: unknown;
}

/** Finds the last whole line by reading from the end, so that a long log takes no more time than a short one. */
export function lastLine(fd: number): Tail {
  let end = lineBreakBefore(fd, fstatSync(fd).size) + 1;
  for (let tries = 0; end > 0; tries += 1) {
    const start = lineBreakBefore(fd, end - 1) + 1;
    const value = parseLine(readAt(fd, start, end - 1 - start));
    // a power cut can leave one last line that is not JSON; a second one is damage of another kind
    if (value !== undefined || tries > 0) return { end, value: value ?? null };
    end = start;
  }
  return { end, value: undefined };
}

/** Offset of the last line break before `end`, -1 if there is none. */
function lineBreakBefore(fd: number, end: number): number {
  for (let to = end; to > 0; to -= stepBytes) {
    const from = Math.max(0, to - stepBytes);
    const at = readAt(fd, from, to - from).lastIndexOf(newline);
    if (at !== -1) return from + at;
  }
  return -1;
}

function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, position));
}
