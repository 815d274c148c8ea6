import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { TilthError } from "../../base/errors.js";
import { lstatOf, type Places } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";
import type { ConfigEntry } from "./config-files.js";

/** Folders that git writes into; a link there would carry the write somewhere else. */
const mustBeFolders = [
  "logs",
  "logs/refs",
  "logs/refs/heads",
  "refs",
  "refs/heads",
  "objects",
  "objects/info",
  "objects/pack",
  "worktrees",
] as const;

/** Files that git opens without checking their kind; a FIFO would hold it until its time-out. */
const mustBeFiles = [
  "HEAD",
  "packed-refs",
  "index",
  "shallow",
  "info/attributes",
  "info/exclude",
  "info/sparse-checkout",
  "objects/info/alternates",
  "logs/HEAD",
] as const;

export function refuseOddParts({ gitDir, commonDir }: Places): void {
  for (const dir of new Set([gitDir, commonDir])) {
    for (const name of mustBeFolders) check(dir, name, "folder");
    for (const name of mustBeFiles) check(dir, name, "file");
  }
  // a branch named session is a file there, and gets its own message elsewhere
  for (const name of ["refs/heads/session", "logs/refs/heads/session"]) {
    if (lstatOf(join(commonDir, name))?.isSymbolicLink()) check(commonDir, name, "folder");
  }
}

function check(dir: string, name: string, kind: "folder" | "file"): void {
  const path = join(dir, name);
  const stat = lstatOf(path);
  if (stat === null || (kind === "folder" ? stat.isDirectory() : stat.isFile())) return;
  // HEAD used to be a link, and git-new-workdir shares these by links; reading through them is harmless
  if (stat.isSymbolicLink() && kind === "file" && name !== "packed-refs" && leadsToFile(path)) return;
  const what = stat.isSymbolicLink() ? "a link" : `no plain ${kind}`;
  throw new TilthError(
    "usage",
    `'${path}' is ${what}`,
    `look at it, then put a plain ${kind} there: ls -ld ${shellWord(path)}`,
  );
}

function leadsToFile(path: string): boolean {
  try {
    const stat = lstatOf(realpathSync.native(path));
    return stat === null || stat.isFile();
  } catch {
    // dangling, as HEAD is in a repository without commits
    return true;
  }
}

export function refuseNesting(places: Places, home: string): void {
  for (const part of new Set([places.workTree, places.commonDir])) {
    if (!contains(part, home) && !contains(home, part)) continue;
    const message = `TILTH_HOME '${home}' and the source '${part}' may not lie inside one another`;
    throw new TilthError(
      "usage",
      message,
      "set TILTH_HOME to a folder elsewhere, for example: export TILTH_HOME=~/.tilth",
    );
  }
}

export function contains(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path === "" || (path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path));
}

/**
 * Refuses shapes of a repository that its config declares. Linked work trees ignore `core.bare` and `core.worktree`.
 */
export function refuseShape(entries: readonly ConfigEntry[], places: Places): void {
  const last = (key: string) => entries.findLast((entry) => entry.key === key);
  const format = last("extensions.objectformat")?.value?.toString("latin1") ?? "sha1";
  if (format !== "sha1") throw unsupported(places, `its objects are named by ${format}, not SHA-1`, toSha1(places));
  const refs = last("extensions.refstorage")?.value?.toString("latin1") ?? "files";
  if (refs !== "files") throw unsupported(places, `its refs are kept as ${refs}, not as files`, toFiles(places));
  if (places.gitDir !== places.commonDir) return;
  const bare = last("core.bare");
  if (bare && isTrue(bare.value)) throw unsupported(places, "it is bare (core.bare)");
  const worktree = last("core.worktree")?.value?.toString("utf8");
  if (worktree === undefined) return;
  const path = isAbsolute(worktree) ? worktree : `${places.gitDir}/${worktree}`;
  if (realOrNull(path) !== places.workTree)
    throw unsupported(places, `its work tree is elsewhere (core.worktree '${worktree}')`);
}

export function isTrue(value: Buffer | null): boolean {
  return value === null || /^(true|yes|on|-?[1-9]\d*)$/i.test(value.toString("latin1"));
}

/** A clone would keep its object format, so the remedy is an export. */
function toSha1({ workTree }: Places): string {
  const made = "git init --object-format=sha1 <new>";
  return `make one that is: ${made} && git -C ${shellWord(workTree)} fast-export --all | git -C <new> fast-import`;
}

function toFiles({ workTree }: Places): string {
  return `turn them into files: git -C ${shellWord(workTree)} refs migrate --ref-format=files`;
}

function unsupported({ workTree }: Places, why: string, remedy?: string): TilthError {
  const hint = remedy ?? `use a plain clone of it instead: git clone ${shellWord(workTree)}`;
  return new TilthError("usage", `'${workTree}' cannot be a source: ${why}`, hint);
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
