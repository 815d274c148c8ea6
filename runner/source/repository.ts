import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { TilthError } from "../errors.js";
import { errnoCode } from "../support/disk-trouble.js";
import type { HostPath } from "../support/ids.js";
import { readRegular } from "../support/read-regular.js";
import { shellWord } from "./shell-word.js";

/** Where the parts of a source lie; found by reading, without git. */
export interface Places {
  /** real path of the work tree */
  readonly workTree: HostPath;
  /** holds HEAD and the index of this work tree */
  readonly gitDir: HostPath;
  /** holds objects, refs and config; the same but for a linked work tree */
  readonly commonDir: HostPath;
}

export function locate(path: string): Places {
  const workTree = realFolder(path);
  const gitDir = gitDirOf(workTree);
  const commondir = readRegular(join(gitDir, "commondir"), 4096);
  const common = commondir.ok ? commondir.content.toString("utf8").replace(/\n+$/, "") : ".";
  const commonDir = resolved(gitDir, common);
  for (const name of ["objects", "refs"]) {
    if (lstatOf(join(commonDir, name)) === null) throw notARepository(workTree, `'${commonDir}' has no '${name}'`);
  }
  return { workTree, gitDir, commonDir };
}

function realFolder(path: string): HostPath {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real as HostPath;
  } catch (error) {
    if (errnoCode(error) === null) throw error;
    throw new TilthError("usage", `there is no folder '${path}'`, "give the path of a git repository", error);
  }
  throw new TilthError("usage", `'${path}' is not a folder`, "give the path of a git repository");
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

/** As git would open it, `..` behind a link included. */
function resolved(base: string, target: string): HostPath {
  const path = isAbsolute(target) ? target : `${base}/${target}`;
  try {
    const real = realpathSync.native(path);
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
      `clone it and give the clone: git clone ${shellWord(path)}`,
    );
  }
  for (let above = dirname(path); ; above = dirname(above)) {
    if (lstatOf(join(above, ".git")) !== null) {
      return new TilthError(
        "usage",
        `'${path}' is a folder inside a repository`,
        `give the repository itself: '${above}'`,
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
