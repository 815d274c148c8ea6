import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { SessionId } from "../../base/ids.js";
import { errnoCode } from "../../disk/disk-trouble.js";
import { readRegular } from "../../disk/read-regular.js";
import { lstatOf, type Places } from "../git/repository.js";

/**
 * Finds the source's own records of the work tree at `worktree` by the path in them, without asking the work tree
 * itself.
 */
export function adminEntries(commonDir: string, worktree: string): string[] {
  return entriesOf(commonDir).filter((entry) => gitfileOf(entry) === join(worktree, ".git"));
}

/** The content of HEAD in a work tree that is on the session's branch. */
export function headOf(id: SessionId): string {
  return `ref: refs/heads/session/${id}\n`;
}

/** Finds the work tree that is on the session's branch, by the source's own records; null when none is. */
export function checkedOutAt(
  { workTree, commonDir }: Pick<Places, "workTree" | "commonDir">,
  id: SessionId,
): string | null {
  const isOn = (gitDir: string) => contentOf(join(gitDir, "HEAD")) === headOf(id);
  const entry = entriesOf(commonDir).find(isOn);
  if (entry === undefined) return isOn(commonDir) ? workTree : null;
  const gitfile = gitfileOf(entry);
  return gitfile === null ? null : dirname(gitfile);
}

function entriesOf(commonDir: string): string[] {
  const folder = join(commonDir, "worktrees");
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((entry) => lstatOf(entry)?.isDirectory());
}

/** Newer gits may write the path relative to the record. */
function gitfileOf(entry: string): string | null {
  const path = contentOf(join(entry, "gitdir"))?.replace(/\n$/, "");
  return path ? resolve(entry, path) : null;
}

function contentOf(file: string): string | null {
  const read = readRegular(file, 64 * 1024);
  return read.ok ? read.content.toString("utf8") : null;
}

export function namesIn(folder: string): string[] {
  if (!lstatOf(folder)?.isDirectory()) return [];
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return [];
    throw error;
  }
}
