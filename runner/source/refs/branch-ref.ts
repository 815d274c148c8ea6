import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { TilthError } from "../../base/errors.js";
import { type CommitId, commitId, type SessionId } from "../../base/ids.js";
import { errnoCode } from "../../disk/disk-trouble.js";
import { nodeIo, syncFolder } from "../../disk/file-io.js";
import type { BranchMove } from "../../loop/context/branch.js";
import type { Repository } from "../git/base-pack.js";
import { shellWord } from "../git/shell-word.js";
import { lockInTheWay } from "./locks.js";

const none = "0".repeat(40);

export function branchRef(id: SessionId): string {
  return `refs/heads/session/${id}`;
}

/**
 * Returns null when there is no such branch. If it has become a symbolic ref, somebody else did that: `branch_moved`.
 * Git is not asked which work tree is on it, because it would read the records of all work trees and fail on one that
 * another git is just writing.
 */
export async function branchTip(source: Repository, id: SessionId, signal: AbortSignal): Promise<CommitId | null> {
  const ref = branchRef(id);
  const fields = ["refname", "objectname", "symref"].map((name) => `%(${name})%00`).join("");
  const answer = await source.git.run(["for-each-ref", `--format=${fields}`, ref], {
    gitDir: source.gitDir,
    doing: `read ${ref}`,
    signal,
  });
  // branches below that name are listed too
  const listed = answer.stdout
    .toString("utf8")
    .split("\0\n")
    .map((line) => line.split("\0"));
  const [, tip, other] = listed.find(([name]) => name === ref) ?? [];
  if (tip === undefined) return null;
  if (other) {
    const hint = `make it a branch again: git -C ${shellWord(source.workTree)} symbolic-ref -d ${ref}, then tilth resume`;
    throw new TilthError("branch_moved", `${ref} of '${source.workTree}' has become another name of ${other}`, hint);
  }
  return commitId(tip);
}

/** Creates the branch at its first commit; fails when the name is taken. */
export function createBranch(source: Repository, id: SessionId, at: CommitId, signal: AbortSignal): Promise<void> {
  return swap(source, id, { from: null, to: at, why: "tilth: session made" }, signal);
}

/**
 * The commit point: the branch goes from `from` to `to`, durable on return, or stays where it is. Someone else's move
 * is TilthError `branch_moved`, with both ids and the command that puts it back.
 */
export function moveBranch(source: Repository, id: SessionId, move: BranchMove, signal: AbortSignal): Promise<void> {
  return swap(source, id, { ...move, why: `tilth: ${move.why}` }, signal);
}

/** Deletes the branch only while it stands at `tip`, even if somebody has it checked out. */
export function dropBranch(source: Repository, id: SessionId, tip: CommitId, signal: AbortSignal): Promise<void> {
  return swap(source, id, { from: tip, to: null, why: "tilth: session discarded" }, signal);
}

interface Swap {
  readonly from: CommitId | null;
  readonly to: CommitId | null;
  readonly why: string;
}

async function swap(source: Repository, id: SessionId, { from, to, why }: Swap, signal: AbortSignal): Promise<void> {
  // every step prints an answer, so simple-git does not wait for more output
  const input = `start\0update ${branchRef(id)}\0${to ?? none}\0${from ?? none}\0prepare\0commit\0`;
  try {
    await source.git.text(["update-ref", "--no-deref", "-m", why, "--stdin", "-z"], {
      gitDir: source.gitDir,
      doing: `move ${branchRef(id)}`,
      input,
      signal,
    });
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
    throw (await explain(source, id, from, signal)) ?? error;
  }
  if (to !== null) syncRef(source, branchRef(id));
}

async function explain(
  source: Repository,
  id: SessionId,
  from: CommitId | null,
  signal: AbortSignal,
): Promise<TilthError | null> {
  const tip = await branchTip(source, id, signal);
  if (tip !== from) return branchMoved(source, id, from, tip);
  return lockInTheWay([`${join(source.commonDir, branchRef(id))}.lock`, join(source.commonDir, "packed-refs.lock")]);
}

/** Returns the error for a branch that is not where the session left it. */
export function branchMoved(
  source: Repository,
  id: SessionId,
  left: CommitId | null,
  found: CommitId | null,
): TilthError {
  const ref = branchRef(id);
  const was = left === null ? "was not there yet" : `was left at ${left}`;
  const message = `${ref} ${was} and ${found === null ? "is gone" : `is now at ${found}`}`;
  const git = `git -C ${shellWord(source.workTree)} update-ref`;
  const hint = left === null ? `${git} -d ${ref} ${found ?? ""}` : `${git} ${ref} ${left} ${found ?? ""}`;
  return new TilthError("branch_moved", message, `put it back, then tilth resume ${id}: ${hint.trimEnd()}`);
}

/**
 * git before 2.36 syncs no ref, and no git syncs the folder that holds it. If somebody's gc packed the ref meanwhile,
 * it is in packed-refs, and its folders may be gone.
 */
function syncRef({ commonDir }: Repository, ref: string): void {
  const steps = [
    () => syncFile(join(commonDir, ref)),
    () => syncFolder(join(commonDir, dirname(ref)), nodeIo),
    () => syncFolder(join(commonDir, dirname(dirname(ref))), nodeIo),
  ];
  if (steps.every(foundThere)) return;
  foundThere(() => syncFile(join(commonDir, "packed-refs")));
  syncFolder(commonDir, nodeIo);
}

function foundThere(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return false;
    throw error;
  }
}

function syncFile(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
