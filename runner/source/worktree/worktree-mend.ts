import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TilthError } from "../../base/errors.js";
import type { HostPath, SessionId } from "../../base/ids.js";
import { writeFileAtomic } from "../../disk/atomic-file.js";
import { diskTrouble, errnoCode } from "../../disk/disk-trouble.js";
import { nodeIo, syncFolder } from "../../disk/file-io.js";
import { OpenFolder, readRegular } from "../../disk/read-regular.js";
import type { Repository } from "../git/base-pack.js";
import { lstatOf } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import { adminEntries, checkedOutAt, headOf } from "../refs/worktree-admin.js";
import { leaveIt } from "./checked-out.js";
import { makeFolder, type NewWorktree } from "./worktree.js";

const attempts = 10;

/** The part made again: nothing, git's record of the work tree, or the folder, which then lacks its files. */
export type Mended = "nothing" | "record" | "folder";

/**
 * Makes the work tree's folder and the source's record of it again when they are gone. In an existing work tree it
 * touches and reads nothing but `.git`, and it follows no link. A work tree that git knows at another place is
 * TilthError `usage`, which names it. The caller must write the index of a new record.
 */
export function ensureWorktree(source: Repository, place: Omit<NewWorktree, "base">): Mended {
  for (let left = attempts; ; left -= 1) {
    try {
      const mended = mend(source, place);
      if (adminEntries(source.commonDir, place.path).length > 0 || left === 1) return mended;
    } catch (error) {
      // somebody's prune removed the record, or the folder of all records
      if (left === 1 || errnoCode(error instanceof TilthError ? error.cause : error) !== "ENOENT") throw error;
    }
  }
}

function mend(source: Repository, place: Omit<NewWorktree, "base">): Mended {
  const { path, id } = place;
  refuseOddFolder(path);
  const [known] = adminEntries(source.commonDir, path);
  if (known === undefined) refuseElsewhere(source, { id, path });
  makeFolder(place);
  const entry = known ?? makeEntry(source.commonDir, basename(path), id);
  const mended = [
    writeUnlessThere(join(entry, "HEAD"), headOf(id)),
    writeUnlessThere(join(entry, "commondir"), "../..\n"),
    putGitfile(path, entry, known === undefined),
    writeUnlessThere(join(entry, "gitdir"), `${path}/.git\n`),
  ].includes(true);
  if (isHeld(entry, id)) rmSync(join(entry, "locked"), { force: true });
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

/** Names the record as git would, and locks it as git does, so that nobody prunes it before it is complete. */
function makeEntry(commonDir: string, name: string, id: SessionId): string {
  const records = join(commonDir, "worktrees");
  try {
    mkdirSync(records, { recursive: true });
    for (let number = 0; ; number += 1) {
      const entry = join(records, `${name}${number || ""}`);
      if (!made(entry) && !isHeld(entry, id)) continue;
      writeFileAtomic(join(entry, "locked"), heldFor(id));
      return entry;
    }
  } catch (error) {
    throw diskTrouble("make the folder", records, error);
  }
}

const heldFor = (id: SessionId) => `the record of session ${id} is being made\n`;

function isHeld(entry: string, id: SessionId): boolean {
  const found = readRegular(join(entry, "locked"), 1024);
  return found.ok && found.content.toString() === heldFor(id);
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

/** Counts an empty file as missing, because a power cut can leave one. */
function writeUnlessThere(file: string, content: string): boolean {
  const found = readRegular(file, 64 * 1024);
  if (found.ok && found.content.length > 0) return false;
  writeFileAtomic(file, content);
  return true;
}

/** Moves the file in as a whole, so that nothing that stands there is opened. */
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
