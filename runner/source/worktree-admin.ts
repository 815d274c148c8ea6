import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoCode } from "../support/disk-trouble.js";
import { readRegular } from "../support/read-regular.js";
import { lstatOf } from "./repository.js";

/**
 * The source's own records of the work tree at `worktree`, found by the path they name: what stands in the work tree
 * itself is not asked.
 */
export function adminEntries(commonDir: string, worktree: string): string[] {
  const folder = join(commonDir, "worktrees");
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((entry) => lstatOf(entry)?.isDirectory() && pathOf(entry) === join(worktree, ".git"));
}

function pathOf(entry: string): string | null {
  const file = readRegular(join(entry, "gitdir"), 64 * 1024);
  return file.ok ? file.content.toString("utf8").replace(/\n$/, "") : null;
}

function namesIn(folder: string): string[] {
  if (!lstatOf(folder)?.isDirectory()) return [];
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return [];
    throw error;
  }
}
