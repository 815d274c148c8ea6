import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { TilthError } from "../../base/errors.js";
import { type HostPath, isUtf8 } from "../../base/ids.js";
import { errnoCode } from "../../disk/disk-trouble.js";
import { readRegular, sayRefusal } from "../../disk/read-regular.js";
import { shellWord } from "./shell-word.js";

/** The places of a source's parts, found by reading, without git. */
export interface Places {
  /** real path of the work tree */
  readonly workTree: HostPath;
  /** holds HEAD and the index of this work tree */
  readonly gitDir: HostPath;
  /** holds objects, refs and config; equals gitDir except in a linked work tree */
  readonly commonDir: HostPath;
}

export function locate(path: string): Places {
  const workTree = realFolder(path);
  const gitDir = gitDirOf(workTree);
  const commonDir = resolved(gitDir, commonDirNamedIn(gitDir));
  for (const name of ["objects", "refs"]) {
    if (lstatOf(join(commonDir, name)) === null) throw notARepository(workTree, `'${commonDir}' has no '${name}'`);
  }
  return { workTree, gitDir, commonDir };
}

/** Git reads this file by its own rules too; contents that the two could understand differently are refused. */
function commonDirNamedIn(gitDir: string): string {
  const path = join(gitDir, "commondir");
  const file = readRegular(path, 4096);
  if (file.ok) return file.content.toString("utf8").replace(/[\r\n]+$/, "");
  if (file.why === "missing") return ".";
  throw new TilthError("usage", `'${path}' ${sayRefusal(file)}`, `look at it: ls -ld ${shellWord(path)}`);
}

/** Says why no repository is at `path` any more, or returns null; TilthError `usage` when nobody can tell. */
export function whyNoRepository(path: string): string | null {
  try {
    locate(path);
    return null;
  } catch (error) {
    const isRefusal = error instanceof TilthError;
    const code = errnoCode(isRefusal ? error.cause : error);
    if (isRefusal && (code === null || code === "ENOENT" || code === "ENOTDIR")) return error.message;
    if (code === null) throw error;
    const hint = `bring its disk back, or make it readable for your user: ls -ld ${shellWord(path)}`;
    throw new TilthError("usage", `whether '${path}' is still a repository cannot be told (${code})`, hint, error);
  }
}

function realFolder(path: string): HostPath {
  let real = path;
  try {
    real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real as HostPath;
  } catch (error) {
    if (errnoCode(error) === null) throw error;
    if (!isUtf8(real)) throw notUtf8(real);
    throw new TilthError("usage", `there is no folder '${path}'`, "give the path of a git repository", error);
  }
  throw new TilthError("usage", `'${path}' is not a folder`, "give the path of a git repository");
}

function notUtf8(path: string): TilthError {
  const message = `the path '${path}' has a name in it that is not UTF-8`;
  return new TilthError("usage", message, "give that folder a name in UTF-8");
}

function gitDirOf(workTree: HostPath): HostPath {
  const dotGit = join(workTree, ".git");
  const stat = lstatOf(dotGit);
  if (stat === null) throw withoutGit(workTree);
  if (!stat.isFile()) return resolved(workTree, ".git");
  const gitfile = readRegular(dotGit, 64 * 1024);
  const target = gitfile.ok ? /^gitdir: (.*?)[\r\n]*$/s.exec(gitfile.content.toString("utf8"))?.[1] : undefined;
  if (!target) throw notARepository(workTree, `its '.git' is a file that names no git directory`);
  return resolved(workTree, target);
}

/** Resolves a path as git would open it, including `..` after a link. */
function resolved(base: string, target: string): HostPath {
  const path = isAbsolute(target) ? target : `${base}/${target}`;
  try {
    const real = realpathSync.native(path);
    if (!isUtf8(real)) throw notUtf8(real);
    if (statSync(real).isDirectory()) return real as HostPath;
  } catch (error) {
    if (errnoCode(error) === null) throw error;
  }
  throw notARepository(base, `its git directory '${path}' is not a folder`);
}

function withoutGit(path: string): TilthError {
  if (["HEAD", "objects", "refs"].every((name) => lstatOf(join(path, name)) !== null)) {
    return new TilthError(
      "usage",
      `'${path}' is a bare repository`,
      `clone it and use the clone: git clone ${shellWord(path)}`,
    );
  }
  for (let above = dirname(path); ; above = dirname(above)) {
    if (lstatOf(join(above, ".git")) !== null) {
      return new TilthError(
        "usage",
        `'${path}' is a folder inside a repository`,
        `use the repository itself: '${above}'`,
      );
    }
    if (above === dirname(above)) break;
  }
  const hint = `make it one: git -C ${shellWord(path)} init && git -C ${shellWord(path)} add -A && git -C ${shellWord(path)} commit -m 'first commit'`;
  return new TilthError("usage", `'${path}' is not a git repository`, hint);
}

function notARepository(path: string, why: string): TilthError {
  return new TilthError(
    "usage",
    `'${path}' is not a usable git repository: ${why}`,
    `look at it: git -C ${shellWord(path)} status`,
  );
}

export function lstatOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
