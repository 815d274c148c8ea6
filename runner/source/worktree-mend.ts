import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TilthError } from "../errors.js";
import { writeFileAtomic } from "../support/atomic-file.js";
import { diskTrouble, errnoCode } from "../support/disk-trouble.js";
import { nodeIo, syncFolder } from "../support/file-io.js";
import type { HostPath, SessionId } from "../support/ids.js";
import { OpenFolder, readRegular } from "../support/read-regular.js";
import type { Repository } from "./base-pack.js";
import { leaveIt } from "./branch-ref.js";
import { lstatOf } from "./repository.js";
import { shellWord } from "./shell-word.js";
import { makeFolder, type NewWorktree } from "./worktree.js";
import { adminEntries, checkedOutAt, headOf } from "./worktree-admin.js";

/** What had to be made again: nothing, git's record of the work tree, or the folder, whose files are then missing. */
export type Mended = "nothing" | "record" | "folder";

/**
 * The work tree's folder and the source's record of it, made again where they are gone. No file of a work tree that is
 * there is touched or looked at but its `.git`, no link is followed, and a work tree that git knows at another place is
 * TilthError `usage` naming it. The index of a new record is the caller's to write.
 */
export function ensureWorktree(source: Repository, place: Omit<NewWorktree, "base">): Mended {
  const { path, id } = place;
  refuseOddFolder(path);
  const [known] = adminEntries(source.commonDir, path);
  if (known === undefined) refuseElsewhere(source, { id, path });
  makeFolder(place);
  const entry = known ?? makeEntry(source.commonDir, basename(path));
  const mended = [
    writeUnlessThere(join(entry, "HEAD"), headOf(id)),
    writeUnlessThere(join(entry, "commondir"), "../..\n"),
    putGitfile(path, entry, known === undefined),
    writeUnlessThere(join(entry, "gitdir"), `${path}/.git\n`),
  ].includes(true);
  if (isBare(path)) return "folder";
  return mended ? "record" : "nothing";
}

function refuseOddFolder(path: HostPath): void {
  const stat = lstatOf(path);
  if (stat === null || stat.isDirectory()) return;
  const message = `the work tree '${path}' is ${stat.isSymbolicLink() ? "a link, which is not followed" : "no folder"}`;
  throw new TilthError("usage", message, `put the folder back, or take that away: rm ${shellWord(path)}`);
}

function refuseElsewhere(source: Repository, { id, path }: { id: SessionId; path: HostPath }): void {
  const other = checkedOutAt(source, id);
  if (other === null) return;
  if (!other.endsWith(`/sessions/${id}/workspace`)) {
    const message = `the branch session/${id} is checked out at '${other}'`;
    throw new TilthError("usage", message, leaveIt(other));
  }
  const hint = existsSync(other)
    ? `use the home that it is in: export TILTH_HOME=${shellWord(dirname(dirname(dirname(other))))}`
    : `move it back, or tell git where it is now: git -C ${shellWord(source.workTree)} worktree repair ${shellWord(path)}`;
  throw new TilthError("usage", `the work tree of session ${id} was '${other}' and is now '${path}'`, hint);
}

/** Under a name as git would choose it. */
function makeEntry(commonDir: string, name: string): string {
  const records = join(commonDir, "worktrees");
  try {
    mkdirSync(records, { recursive: true });
    for (let number = 0; ; number += 1) {
      const entry = join(records, `${name}${number || ""}`);
      if (made(entry)) return entry;
    }
  } catch (error) {
    throw diskTrouble("make the folder", records, error);
  }
}

function made(folder: string): boolean {
  try {
    mkdirSync(folder);
    syncFolder(dirname(folder), nodeIo);
    return true;
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** A power cut can leave it empty. */
function writeUnlessThere(file: string, content: string): boolean {
  const found = readRegular(file, 64 * 1024);
  if (found.ok && found.content.length > 0) return false;
  writeFileAtomic(file, content);
  return true;
}

/** Moved in as a whole, so that nothing which stands there is opened. */
function putGitfile(path: HostPath, entry: string, replace: boolean): boolean {
  const gitfile = join(path, ".git");
  const stat = lstatOf(gitfile);
  if (stat?.isFile() && !replace) return false;
  if (stat?.isDirectory()) {
    const message = `'${gitfile}' is a folder, where git's record of the work tree belongs`;
    throw new TilthError("usage", message, `see what it is, then move it away: mv ${shellWord(gitfile)} <elsewhere>`);
  }
  const temporary = `${path}.git.tmp`;
  try {
    writeFileAtomic(temporary, `gitdir: ${entry}\n`);
    using folder = OpenFolder.open(path, false);
    folder?.moveIn(temporary, ".git");
    return true;
  } catch (error) {
    throw diskTrouble("write", gitfile, error);
  }
}

function isBare(path: HostPath): boolean {
  using folder = OpenFolder.open(path, false);
  return folder?.names(1) != null;
}
