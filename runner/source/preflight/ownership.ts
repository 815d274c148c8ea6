import { join } from "node:path";
import { TilthError } from "../../base/errors.js";
import type { HostGit } from "../git/host-git.js";
import { lstatOf, type Places } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import { safeDirectories } from "./user-config.js";

/**
 * The owner of a repository can change its config while tilth works on it. So another owner is refused unless the
 * person told git that this folder is safe. That is git's own rule, but git skips it for an explicit git dir.
 */
export async function refuseForeignOwner(
  git: HostGit,
  places: Places,
  uid: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (uid === undefined) return;
  const { workTree, gitDir, commonDir } = places;
  const foreign = [workTree, join(workTree, ".git"), gitDir, commonDir].find((path) => lstatOf(path)?.uid !== uid);
  if (foreign === undefined) return;
  const safe = await safeDirectories(git, signal);
  if (safe.some((entry) => covers(entry, workTree, git.places.userHome))) return;
  throw new TilthError(
    "usage",
    `'${foreign}' belongs to another user, who could make git run commands in your name`,
    `if you trust its owner: git config --global --add safe.directory ${shellWord(workTree)}`,
  );
}

function covers(entry: string, workTree: string, userHome: string): boolean {
  const path = entry.startsWith("~/") ? join(userHome, entry.slice(2)) : entry;
  if (path.endsWith("/*")) return `${workTree}/`.startsWith(path.slice(0, -1));
  return path === "*" || path.replace(/\/+$/, "") === workTree;
}
