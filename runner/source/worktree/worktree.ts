import { createHash } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { awakeSignal } from "../../base/awake.js";
import { TilthError } from "../../base/errors.js";
import type { CommitId, HostPath, SessionId } from "../../base/ids.js";
import { diskTrouble, errnoCode } from "../../disk/disk-trouble.js";
import { nodeIo, syncFolder } from "../../disk/file-io.js";
import { OpenFolder } from "../../disk/read-regular.js";
import type { Repository } from "../git/base-pack.js";
import { lstatOf } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import { createBranch } from "../refs/branch-ref.js";
import { lockInTheWay } from "../refs/locks.js";
import { adminEntries } from "../refs/worktree-admin.js";
import { deleteBranch } from "./checked-out.js";

const longestPauseMs = 1_000;

export interface NewWorktree {
  readonly id: SessionId;
  /** missing, or an empty folder; its parents are real paths */
  readonly path: HostPath;
  readonly base: CommitId;
  /** the group that may write there too: the containers' when tilth runs as root */
  readonly group: number | null;
}

/**
 * Creates the session's branch at `base` and an empty work tree on it. No file is checked out, so nothing of the source
 * runs or is written. On failure neither branch nor work tree is left.
 */
export async function addWorktree(source: Repository, made: NewWorktree, signal: AbortSignal): Promise<void> {
  await createBranch(source, made.id, made.base, signal);
  try {
    await addRecord(source, made, signal);
    await writeAdminIndex(source, made.path, made.base, signal);
    syncFolder(join(source.commonDir, "worktrees"), nodeIo);
  } catch (error) {
    await takeBack(source, made);
    throw error;
  }
}

/** Retries: git first reads all work trees' records, and fails on one that another git is writing or pruning. */
async function addRecord(source: Repository, made: NewWorktree, signal: AbortSignal): Promise<void> {
  for (let pauseMs = 50; ; pauseMs *= 2) {
    // made anew each time: a `worktree add` that fails removes the folder
    makeFolder(made);
    try {
      await source.git.text(["worktree", "add", "--no-checkout", made.path, `session/${made.id}`], {
        gitDir: source.gitDir,
        doing: `make a work tree of '${source.workTree}'`,
        signal,
      });
      return;
    } catch (error) {
      const isOfRecords = error instanceof TilthError && error.message.includes("/worktrees/");
      if (!isOfRecords || pauseMs > longestPauseMs) throw error;
      await wait(pauseMs);
    }
  }
}

/** Cleans up as far as possible; the error that is reported says why the work tree could not be made. */
async function takeBack(source: Repository, { id, path, base }: NewWorktree): Promise<void> {
  try {
    removeWorktree(source, path);
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
  }
  await deleteBranch(source, id, base, awakeSignal(30_000)).catch(() => undefined);
}

export function makeFolder({ path, group }: Pick<NewWorktree, "path" | "group">): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
    if (group === null) return;
    chownSync(path, 0, group);
    chmodSync(path, 0o775);
  } catch (error) {
    throw diskTrouble("make", path, error);
  }
}

/**
 * Makes `git status` in the work tree tell a person the truth about `commit`. Git gets no work tree: it writes down
 * what the commit holds and looks at no file.
 */
export async function writeAdminIndex(
  source: Repository,
  path: HostPath,
  commit: CommitId,
  signal: AbortSignal,
): Promise<void> {
  const entry = ownRecord(source, path);
  const index = join(entry, "index");
  try {
    // not through simple-git, which waits 50 ms after a command that prints nothing; not synced, since it can be made
    // again
    await source.git.run(["read-tree", "--reset", commit], {
      gitDir: entry,
      indexFile: index,
      settings: [["core.fsync", "none"]],
      doing: `write the index of '${path}'`,
      signal,
    });
  } catch (error) {
    throw (error instanceof TilthError && lockInTheWay([`${index}.lock`])) || error;
  }
}

/** Returns git's record of the work tree at `path`. */
export function ownRecord(source: Repository, path: HostPath): string {
  const [entry] = adminEntries(source.commonDir, path);
  if (entry !== undefined) return entry;
  const message = `'${source.workTree}' no longer knows the work tree '${path}'`;
  throw new TilthError("infra", message, "go on with the session, and the record is made again");
}

/**
 * Removes the emptied work tree at `path` and the source's record of it, and nothing else whatever stands there: it
 * follows no link and removes no folder that holds more than `.git`.
 */
export function removeWorktree(source: Repository, path: HostPath): void {
  removeWorktreeFolder(path);
  removeRecords(source, path);
  removeIfEmpty(join(source.commonDir, "worktrees"));
}

/** Like `removeWorktree`, for when no source is left that could have a record. */
export function removeWorktreeFolder(path: HostPath): void {
  try {
    if (lstatOf(path) !== null) removeFolder(path);
  } catch (error) {
    throw diskTrouble("remove", path, error);
  }
}

function removeFolder(path: HostPath): void {
  using folder = OpenFolder.open(path, false);
  const names = folder?.names(1);
  if (!names || names.some((name) => name !== ".git")) {
    const hint = `see what is there, then remove it yourself: ls -la ${shellWord(path)}`;
    throw new TilthError("infra", `the work tree '${path}' is not an empty folder and is left alone`, hint);
  }
  if (names.length > 0) unlinkSync(join(path, ".git"));
  rmdirSync(path);
}

/** Renames each record first to a name made from the path, by which the rest of an interrupted removal is found. */
function removeRecords(source: Repository, path: HostPath): void {
  const going = goingRecord(source, path);
  rmSync(going, { recursive: true, force: true });
  for (const entry of adminEntries(source.commonDir, path)) {
    if (!moved(entry, going)) continue;
    rmSync(going, { recursive: true, force: true });
  }
}

/** Returns false when the record is gone: without its folder it is unused, and the person's git may prune it first. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return false;
    throw error;
  }
}

export function goingRecord({ commonDir }: Repository, path: HostPath): string {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(commonDir, "worktrees", `tilth-removed-${name}`);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
    syncFolder(dirname(folder), nodeIo);
  } catch (error) {
    // git itself removes the folder with the last record in it
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errnoCode(error) ?? "")) throw error;
  }
}
