import { chmodSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { TilthError } from "../../base/errors.js";
import { shellWord } from "../../source/git/shell-word.js";

const forOthers = 0o077;
const sticky = 0o1000;

/**
 * Removes other users' access to a home that is ours. A folder that serves other purposes too is left alone: the
 * person's own home and its parents, a sticky folder that all may write to, and one that tilth has put nothing into.
 */
export function makePrivate(home: string, userHome: string): void {
  const stat = statOf(home);
  if (stat === null || !isOpen(stat) || stat.uid !== process.getuid?.() || (stat.mode & sticky) !== 0) return;
  if (holds(home, userHome) || !["sessions", ".env"].some((name) => statOf(join(home, name)) !== null)) return;
  try {
    chmodSync(home, stat.mode & 0o700);
  } catch {
    // for example a file system without such permissions; doctor reports how things stand
  }
}

/** Describes the home's access for doctor; TilthError `usage` if other users can get into it. */
export function describeHome(home: string): string {
  const stat = statOf(home);
  if (stat === null) return `${home} is made when it is first needed`;
  if (!isOpen(stat)) return `${home} is open to nobody else`;
  const mode = (stat.mode & 0o777).toString(8);
  const hint = `close it: chmod 700 ${shellWord(home)}; or set TILTH_HOME to a folder of its own`;
  throw new TilthError("usage", `${home}, where keys and sessions are, is open to other users (mode ${mode})`, hint);
}

function isOpen({ mode }: { readonly mode: number }): boolean {
  return (mode & forOthers) !== 0;
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../"));
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
