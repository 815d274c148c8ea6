import { LinkEnds } from "../../../../disk/link-ends.js";
import { zeroSeparated } from "../shell/path-names.js";
import { isGitName } from "./git-names.js";
import type { ScanTools, WorktreeScan } from "./scanned.js";
import type { Problem, RawPath } from "./worktree-walk.js";

type Targets = ReadonlyMap<RawPath, string>;

/** Finds links of the future tree that lead out or into .git, unless they did so before. */
export async function linkProblems({ walk, status, additions }: WorktreeScan, tools: ScanTools): Promise<Problem[]> {
  const links = new Map<RawPath, string>();
  for (const [path, { type, target }] of walk.entries) if (type === "l") links.set(path, target);
  const fresh = new Set(additions.filter((path) => links.has(path)));
  const gone = [...status.cached].some(([path, mode]) => mode === "120000" && !links.has(path));
  // only links decide where links lead
  if (fresh.size === 0 && !gone) return [];
  const found = await astray(fresh, links);
  const stayed = [...links.keys()].filter((path) => status.cached.has(path) && !fresh.has(path));
  const old = await astray(stayed, links);
  if (old.length === 0) return found;
  const before = await astray(stayed, await linksOfIndex(tools));
  const known = new Set(before.map(({ path }) => path));
  return [...found, ...old.filter(({ path }) => !known.has(path))];
}

async function astray(paths: Iterable<RawPath>, links: Targets): Promise<Problem[]> {
  const ends = new LinkEnds(links, isGitName);
  const problems: Problem[] = [];
  for (const path of paths) {
    const where = await ends.astray(path);
    if (where !== null) problems.push({ path, why: `is a link that leads ${where}` });
  }
  return problems;
}

/** The index still holds the last tree that was taken. */
async function linksOfIndex({ shell, signal }: ScanTools): Promise<Targets> {
  const links: { path: RawPath; oid: string }[] = [];
  for (const record of zeroSeparated(await shell.git(["ls-files", "-z", "-s"], { signal }))) {
    const line = record.toString("latin1");
    if (line.startsWith("120000 ")) links.push({ path: line.slice(line.indexOf("\t") + 1), oid: line.slice(7, 47) });
  }
  const stdin = Buffer.from(links.map(({ oid }) => `${oid}\n`).join(""));
  const told = await shell.git(["cat-file", "--batch=%(objectsize)"], { signal, stdin });
  const targets = new Map<RawPath, string>();
  let at = 0;
  for (const { path } of links) {
    const start = told.indexOf(10, at) + 1;
    at = start + Number(told.toString("latin1", at, start));
    targets.set(path, told.toString("latin1", start, at));
    at += 1;
  }
  return targets;
}
