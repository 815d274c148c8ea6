import { posix } from "node:path";
import { TilthError } from "../base/errors.js";

/** Ids of git's blobs by path. */
export type Blobs = ReadonlyMap<string, string>;

/** The regular files of a commit or a tree. */
export interface TreeFiles {
  blobs(): Promise<Blobs>;
  /** returns null for a missing file and for one larger than `maxBytes` */
  read(path: string, maxBytes: number): Promise<Uint8Array | null>;
}

export interface DependencyFiles {
  /** all files that can say what a project needs, and the files they include */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** false where no file says what the project needs */
  readonly declares: boolean;
}

export const mostBytes = 8 * 1024 * 1024;
/** for all files together: they are held at once, here and on their way into a container */
const mostBytesInAll = 32 * 1024 * 1024;
const mostFiles = 200;
const inRoot = /^(?:pyproject\.toml|setup\.cfg|setup\.py|uv\.lock|pylock\.toml|PKG-INFO)$/;
const requirements = /^(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.txt$|^requirements\/[\w.-]+\.txt$/;
const included = /^[ \t]*(?:-r|-c|--requirement|--constraint)[ \t=]*([^\s#]+)/gm;

/** Tells whether a file of that name can say what the project needs. */
export function mayDeclare(path: string, named: readonly string[] | null): boolean {
  return inRoot.test(path) || requirements.test(path) || (named?.includes(path) ?? false);
}

/** Throws TilthError `usage` when a file is too large or a named one is missing. */
export async function dependencyFiles(tree: TreeFiles, named: readonly string[] | null): Promise<DependencyFiles> {
  const there = await tree.blobs();
  const missing = named?.find((path) => !there.has(path));
  if (missing !== undefined) throw notThere(missing);
  const files = new Map<string, Uint8Array>();
  const wanted = new Set([...there.keys()].filter((path) => mayDeclare(path, named)));
  let size = 0;
  // a Set also iterates over what is added during the loop
  for (const path of wanted) {
    if (files.size >= mostFiles) break;
    const bytes = await tree.read(path, mostBytes);
    if (bytes === null) throw tooLarge(path);
    size += bytes.length;
    if (size > mostBytesInAll) throw tooMuch(path);
    files.set(path, bytes);
    for (const each of includedBy(path, bytes)) if (there.has(each)) wanted.add(each);
  }
  return { files, declares: named !== null || [...files].some(declares) };
}

// blanks within one line only: a file of line ends would otherwise be read through once for each of them
const tables = /^[ \t]*\[[ \t]*(?:project|dependency-groups|tool\.poetry)\b/m;
const sections = /^\[[ \t]*(?:metadata|options)\b/m;

/** Looks only roughly; a container reads the file properly. */
function declares([path, bytes]: readonly [string, Uint8Array]): boolean {
  const text = Buffer.from(bytes).toString("utf8");
  if (path === "pyproject.toml") return tables.test(text);
  if (path === "setup.cfg") return sections.test(text);
  if (path === "setup.py") return text.includes("setup(");
  return path !== "PKG-INFO";
}

/** Requirements may have any name: TILTH_DEPENDENCIES names some, and each may include others. */
function includedBy(path: string, bytes: Uint8Array): readonly string[] {
  if (inRoot.test(path)) return [];
  const text = Buffer.from(bytes).toString("utf8");
  return [...text.matchAll(included)].map(([, other = ""]) => posix.join(posix.dirname(path), other));
}

function notThere(path: string): TilthError {
  return new TilthError(
    "usage",
    `TILTH_DEPENDENCIES names ${path}, which is not there`,
    "commit it, or correct the setting",
  );
}

function tooMuch(path: string): TilthError {
  return new TilthError(
    "usage",
    `with ${path}, the dependency files are more than 32 MB together`,
    "set TILTH_DEPENDENCIES to those that count",
  );
}

function tooLarge(path: string): TilthError {
  return new TilthError(
    "usage",
    `${path} is larger than 8 MB, the most that a dependency file may have`,
    "set TILTH_DEPENDENCIES to others",
  );
}
