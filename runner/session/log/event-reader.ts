import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { TilthError } from "../../base/errors.js";
import { diskTrouble, errnoCode } from "../../disk/disk-trouble.js";
import { sayIssue } from "../state/state-file.js";
import { eventSchema, type TilthEvent } from "./events.js";

const chunkBytes = 256 * 1024;
const newline = 0x0a;

/**
 * Reads every event of a log in order, with one chunk in memory at a time. Text after the last line break, or a last
 * line that is not JSON, is a torn tail from a crash and skipped; mending it is not the reader's job. Any other line
 * that is no event throws TilthError `usage` naming file and line. A missing log has no events.
 */
export async function* readEvents(path: string): AsyncGenerator<TilthEvent> {
  await using file = await openLog(path);
  if (file === null) return;
  let number = 0;
  let torn: Torn | null = null;
  for await (const line of linesOf(file, path, 0)) {
    number += 1;
    // only the last line may be torn, and a line was not the last if another follows
    if (torn !== null) throw badLine(path, torn.number, torn.problem);
    const value = parseLine(line);
    if (value === undefined) torn = { number, problem: "it is not JSON" };
    else yield checked(value, path, number);
  }
}

interface Torn {
  readonly number: number;
  readonly problem: string;
}

/** Null if there is no log. */
export async function openLog(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return null;
    throw diskTrouble("read", path, error);
  }
  throw new TilthError(
    "usage",
    `${path} is not a plain file`,
    "restore the session's event log, or remove the session",
  );
}

/** Reads whole lines from a place on, without their line breaks; an unfinished last line is left out. */
export async function* linesOf(file: FileHandle, path: string, from: number): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  for (let at = from; ; ) {
    const chunk = await chunkAt(file, at, path);
    if (chunk === null) return;
    at += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end);
      yield pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
}

async function chunkAt(file: FileHandle, at: number, path: string): Promise<Buffer | null> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    return bytesRead === 0 ? null : buffer.subarray(0, bytesRead);
  } catch (error) {
    throw diskTrouble("read", path, error);
  }
}

/** Undefined if the line is not JSON. */
export function parseLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
}

function checked(value: unknown, path: string, number: number): TilthEvent {
  const result = eventSchema.safeParse(value);
  if (result.success) return result.data;
  throw badLine(path, number, sayIssue(result.error));
}

function badLine(path: string, number: number, problem: string): TilthError {
  return new TilthError(
    "usage",
    `line ${number} of ${path} is not an event: ${problem}`,
    "repair or remove that line by hand; the lines before and after it are whole",
  );
}
