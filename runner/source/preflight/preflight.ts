import { realpathSync } from "node:fs";
import { join } from "node:path";
import { TilthError } from "../../base/errors.js";
import { type CommitId, commitId, type HostPath } from "../../base/ids.js";
import type { HostGit } from "../git/host-git.js";
import { locate, lstatOf, type Places } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import { type ConfigEntry, readConfig, refuseUnseen } from "./config-files.js";
import { withoutEffect } from "./executing-keys.js";
import { refuseForeignOwner } from "./ownership.js";
import { contains, isTrue, refuseNesting, refuseOddParts, refuseShape } from "./repository-guards.js";
import { executingEntries, settleTrust } from "./trust.js";
import { type Author, findAuthor } from "./user-config.js";

/** A repository that host git may work on. Only `preflightSource` makes one. */
export interface Source extends Places {
  /** ignores all commands in the source's config, trusted or not */
  readonly git: HostGit;
  readonly head: CommitId;
  /** null when HEAD is detached */
  readonly branch: string | null;
  /** `unknown` when git could not tell in time, or only a filter could */
  readonly dirty: "clean" | "dirty" | "unknown";
  readonly author: Author;
  /** keys that git would execute and that the person vouches for */
  readonly trustedKeys: readonly string[];
  /** made by a clone that left objects out; git would fetch them, tilth never does */
  readonly partial: boolean;
}

export interface PreflightOptions {
  readonly git: HostGit;
  /** real path of $TILTH_HOME */
  readonly home: HostPath;
  /** `--trust-source` was given; `unasked` when nothing is made from the source any more */
  readonly trust: boolean | "unasked";
  readonly signal: AbortSignal;
}

/**
 * Reads a source's files, refuses what must not meet a host git, and only then asks git about it. Every refusal is a
 * TilthError `usage`. Nothing is changed except trusted.json, and that only with `trust`.
 */
export async function preflightSource(path: string, { git, home, trust, signal }: PreflightOptions): Promise<Source> {
  const places = locate(path);
  refuseNesting(places, home);
  refuseGitFromSource(git, places);
  refuseOddParts(places);
  await refuseForeignOwner(git, places, process.getuid?.(), signal);
  const entries = await readConfig(git, configFiles(places), signal);
  refuseShape(entries, places);
  await refuseUnseen(git, places.gitDir, entries, signal);
  const executing = executingEntries(entries);
  settleTrust(executing, { home, gitDir: places.commonDir, trust });
  const trustedKeys = [...new Set(executing.map((entry) => entry.key))];
  const tamed = git.with(trustedKeys.flatMap(withoutEffect));
  const worktreeConfig = turnedOn(entries, "extensions.worktreeconfig");
  const [head, dirty, author] = await Promise.all([
    readHead(tamed, places, signal),
    readDirty(tamed, places, trustedKeys.length > 0, signal),
    findAuthor(tamed, { ...places, worktreeConfig }, signal),
    refuseOldGit(tamed, signal),
  ]);
  return { ...places, git: tamed, ...head, dirty, author, trustedKeys, partial: isPartial(entries) };
}

function configFiles({ gitDir, commonDir }: Places): string[] {
  return [...new Set([join(commonDir, "config"), join(commonDir, "config.worktree"), join(gitDir, "config.worktree")])];
}

function refuseGitFromSource(git: HostGit, { workTree }: Places): void {
  if (!contains(workTree, realpathSync.native(git.binary))) return;
  throw new TilthError(
    "usage",
    `the first git on the search path lies in the source: '${git.binary}'`,
    "take that folder off PATH",
  );
}

async function readHead(git: HostGit, places: Places, signal: AbortSignal) {
  const call = { gitDir: places.gitDir, doing: `read HEAD of '${places.workTree}'`, signal, timeoutMs: 30_000 };
  const asked = "HEAD^{commit}\nrefs/heads/session\n";
  const [answer, branch] = await Promise.all([
    git.run(["cat-file", "--batch-check"], { ...call, input: asked, accept: [0, 128] }),
    git.run(["symbolic-ref", "--quiet", "--short", "HEAD"], { ...call, accept: [0, 1, 128] }),
  ]);
  const [head = "", session = ""] = answer.stdout.toString("latin1").split("\n");
  if (answer.exit !== 0) throw unreadable(places);
  if (!/^[0-9a-f]{40} commit /.test(head)) throw withoutCommits(places);
  if (/^[0-9a-f]{40} /.test(session) || lstatOf(join(places.commonDir, "refs/heads/session"))?.isFile()) {
    const hint = `give that branch another name: git -C ${shellWord(places.workTree)} branch -m session session-old`;
    throw new TilthError("usage", `'${places.workTree}' has a branch named 'session', where tilth's branches go`, hint);
  }
  const name = branch.stdout.toString("utf8").trimEnd();
  return { head: commitId(head.slice(0, 40)), branch: name === "" ? null : name };
}

/** Filters do not run, so with a filter in force "differs" may only mean "not filtered". */
async function readDirty(
  git: HostGit,
  places: Places,
  filtered: boolean,
  signal: AbortSignal,
): Promise<Source["dirty"]> {
  const call = { gitDir: places.gitDir, workTree: places.workTree, signal, timeoutMs: 10_000 };
  const args = ["status", "--porcelain", "-z", "-uno", "--ignore-submodules=all"];
  try {
    const { stdout } = await git.run(args, { ...call, doing: "compare the work tree with HEAD" });
    if (stdout.length === 0) return "clean";
    return filtered ? "unknown" : "dirty";
  } catch (error) {
    if (error instanceof TilthError) return "unknown";
    throw error;
  }
}

function isPartial(entries: readonly ConfigEntry[]): boolean {
  return entries.some(
    ({ key, value }) => key === "extensions.partialclone" || (/^remote\..*\.promisor$/s.test(key) && isTrue(value)),
  );
}

function turnedOn(entries: readonly ConfigEntry[], key: string): boolean {
  const last = entries.findLast((entry) => entry.key === key);
  return last !== undefined && isTrue(last.value);
}

function unreadable({ workTree }: Places): TilthError {
  return new TilthError(
    "usage",
    `git cannot read the repository '${workTree}'`,
    `see why: git -C ${shellWord(workTree)} status`,
  );
}

function withoutCommits({ workTree }: Places): TilthError {
  const hint = `make one: git -C ${shellWord(workTree)} add -A && git -C ${shellWord(workTree)} commit -m 'first commit'`;
  return new TilthError("usage", `'${workTree}' has no commit to start from`, hint);
}

/** The first version with `cat-file --batch-command`, and the first in which `core.fsync` covers refs. */
const oldest = [2, 36] as const;

export async function refuseOldGit(git: HostGit, signal: AbortSignal): Promise<void> {
  const { stdout } = await git.run(["version"], { gitDir: null, doing: "tell its version", signal });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(stdout.toString("latin1")) ?? [];
  if (Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1])) return;
  const found = stdout.toString("utf8").trim();
  throw new TilthError("usage", `'${git.binary}' is ${found}, too old`, `install git ${oldest.join(".")} or newer`);
}
