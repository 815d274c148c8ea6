import { zeroSeparated } from "../path-names.js";
import { leadsAstray } from "./links.js";
import type { Problem, Scanned, ScanTools } from "./scanned.js";
import type { RawPath } from "./worktree-walk.js";

/** Links of the tree-to-be that lead out or into .git, unless they did so before. */
export async function linkProblems({ walk, status, additions }: Scanned, tools: ScanTools): Promise<Problem[]> {
  const links = new Map<RawPath, string>();
  for (const [path, { type, target }] of walk.entries) if (type === "l") links.set(path, target);
  if (links.size === 0) return [];
  const fresh = new Set(additions);
  const found: Problem[] = [];
  const old: Problem[] = [];
  for (const path of links.keys()) {
    if (!fresh.has(path) && !status.cached.has(path)) continue;
    const where = leadsAstray(path, links);
    if (where === null) continue;
    (fresh.has(path) ? found : old).push({ path, why: `is a link that leads ${where}` });
  }
  if (old.length === 0) return found;
  const before = await linksOfIndex(tools);
  return [...found, ...old.filter(({ path }) => leadsAstray(path, before) === null)];
}

/** The index still is the last tree that was taken. */
async function linksOfIndex({ shell, signal }: ScanTools): Promise<ReadonlyMap<RawPath, string>> {
  const listed = [...zeroSeparated(await shell.git(["ls-files", "-z", "-s"], { signal }))]
    .map((record) => record.toString("latin1"))
    .filter((line) => line.startsWith("120000 "));
  const links = new Map<RawPath, string>();
  for (const line of listed) {
    const oid = line.split(" ")[1] ?? "";
    const target = await shell.git(["cat-file", "blob", oid], { signal });
    links.set(line.slice(line.indexOf("\t") + 1), target.toString("latin1"));
  }
  return links;
}
