import type { z } from "zod";
import { TilthError } from "../../base/errors.js";
import { writeFileAtomic } from "../../disk/atomic-file.js";
import { diskTrouble } from "../../disk/disk-trouble.js";
import { type FileIo, nodeIo } from "../../disk/file-io.js";
import { readRegular, sayRefusal, type Unread } from "../../disk/read-regular.js";
import { resetCommand } from "./session-paths.js";

const maxBytes = 64 * 1024 * 1024;

/** Reads and checks a state file in full; any problem throws TilthError `usage` naming the file and the problem. */
export function loadState<T>(path: string, schema: z.ZodType<T>): T {
  return parseState(path, loadText(path), schema);
}

export function parseState<T>(path: string, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable(path, "is not JSON", error);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw unusable(path, `is not as it must be: ${sayIssue(result.error)}`, result.error);
  return result.data;
}

/** Checks before it writes: a value that could not be loaded again is a bug and must never reach the disk. */
export function saveState<T>(path: string, schema: z.ZodType<T>, value: T, io: FileIo = nodeIo): void {
  schema.parse(value);
  writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`, io);
}

function loadText(path: string): string {
  const file = readRegular(path, maxBytes);
  return file.ok ? file.content.toString("utf8") : refuse(path, file);
}

/** Like `loadText`, but a missing file counts as empty. */
export function loadTextIfThere(path: string): string {
  const file = readRegular(path, maxBytes);
  if (file.ok) return file.content.toString("utf8");
  return file.why === "missing" ? "" : refuse(path, file);
}

/** A failing disk is not the file's fault, so it gets an error of its own. */
function refuse(path: string, file: Unread): never {
  if (file.why === "unreadable") throw diskTrouble("read", path, file.cause);
  throw unusable(path, sayRefusal(file));
}

/** Words zod's first objection, with its place. */
export function sayIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "it does not match";
  const where = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return where === "" ? issue.message : `${where.replace(/^\./, "")}: ${issue.message}`;
}

function unusable(path: string, problem: string, cause?: unknown): TilthError {
  return new TilthError(
    "usage",
    `${path} ${problem}`,
    `correct that file, or remove the session: ${resetCommand(path)}`,
    cause,
  );
}
