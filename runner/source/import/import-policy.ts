import { LinkEnds } from "../../disk/link-ends.js";
import { oneLine } from "../../text/sanitise.js";
import { treeCaps } from "../git/tree-caps.js";
import { folderMode, isKnownMode, linkMode, type TreeItem } from "../git/tree-object.js";
import { isGitlink, refuse, type TreeChange, type TreeReader } from "../git/tree-walk.js";
import { linkTargets } from "./link-targets.js";

/** Tells whether a commit may change a path; a path that is not UTF-8 comes with replacement characters. */
export type PathPolicy = (path: string) => boolean;

/**
 * Refuses `changes` from tree `before` to `after` that must never reach a source. Only new and changed entries are
 * judged: a base may hold things that tilth would not let a worker make.
 */
export async function judgeChanges(
  trees: TreeReader,
  request: { before: string; after: string; changes: readonly TreeChange[]; allowed: PathPolicy | null },
): Promise<void> {
  for (const change of request.changes) judgeOne(change, request.allowed);
  await judgeBlobs(trees, request.changes);
  if (request.changes.some(({ item }) => item?.mode === linkMode)) await judgeLinks(trees, request);
}

function judgeOne({ path, item }: TreeChange, allowed: PathPolicy | null): void {
  if (allowed !== null && item?.mode !== folderMode && !allowed(path.toString("utf8")))
    throw at(path, "it may not be changed");
  if (item === null) return;
  if (isGitlink(item)) throw at(path, "it is a submodule");
  if (!isKnownMode(item.mode)) throw at(path, `its mode is ${item.mode}`);
  const problem = nameProblem(item.name);
  if (problem !== null) throw at(path, problem);
}

/** Every named object must be there, must be a file, and all must fit the limit together. */
async function judgeBlobs(trees: TreeReader, changes: readonly TreeChange[]): Promise<void> {
  const files = changes.filter(({ item }) => item !== null && item.mode !== folderMode);
  const infos = await trees.objects.info(files.map(({ item }) => (item as TreeItem).oid));
  let bytes = 0;
  for (const [index, { path }] of files.entries()) {
    const info = infos[index];
    if (info?.type !== "blob") throw at(path, "its content is missing");
    bytes += info.size;
  }
  if (bytes > treeCaps.bytes) throw refuse(`it adds more than ${treeCaps.bytes} bytes`);
}

/** A new link can redirect an old one out of the tree, so all are followed; one that led out before may stay. */
async function judgeLinks(
  trees: TreeReader,
  { before, after, changes }: { before: string; after: string; changes: readonly TreeChange[] },
): Promise<void> {
  const targets = await linkTargets(trees, after);
  const now = new LinkEnds(targets, isGitName);
  const then = new LinkEnds(await linkTargets(trees, before), isGitName);
  const changed = new Set(changes.filter(({ item }) => item !== null).map(({ path }) => path.toString("latin1")));
  for (const path of targets.keys()) {
    const where = await now.astray(path);
    if (where === null || (!changed.has(path) && (await then.astray(path)) !== null)) continue;
    throw at(Buffer.from(path, "latin1"), `the link leads ${where}`);
  }
}

function isGitName(name: string): boolean {
  return isDotGitLike(Buffer.from(name, "latin1").toString("utf8"));
}

function at(path: Buffer, why: string): Error {
  return refuse(`'${oneLine(path.toString("utf8"), 200)}': ${why}`);
}

/** Code points that HFS+ ignores when it compares names. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Says why a name must not be in a tree, or returns null. */
function nameProblem(name: Buffer): string | null {
  if (name.length === 0) return "its name is empty";
  if (name.length > treeCaps.nameBytes) return `its name is longer than ${treeCaps.nameBytes} bytes`;
  if (name.includes(47) || name.includes(0)) return "its name holds a separator";
  const text = name.toString("utf8");
  if (text === "." || text === "..") return `its name is '${text}'`;
  return isDotGitLike(text) ? "git, here or on another system, would take it for its own '.git'" : null;
}

/** Matches `.git` itself and every name that macOS or Windows opens as `.git`. */
export function isDotGitLike(name: string): boolean {
  if (name.replace(ignoredByHfs, "").toLowerCase() === ".git") return true;
  // Windows takes a backslash for a separator, and drops dots and spaces at the end and a stream's name after a colon
  return name.split("\\").some((part) => /^(\.git|git~1)[ .]*(:.*)?$/is.test(part));
}
