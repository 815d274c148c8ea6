import { parentOf } from "./index-status.js";
import type { RawPath, Walk } from "./worktree-walk.js";

/**
 * Finds shapes that git would take for a repository, or for a part of one whose config counts: `gitEntries` are entries
 * of any kind named `.git`, `gitDirs` folders with a repository's own entries (bare ones, and possible targets of a
 * `.git` file or a `commondir`).
 */
export function repositoryShapes(walk: Walk): { gitEntries: RawPath[]; gitDirs: RawPath[] } {
  const gitEntries: RawPath[] = [];
  const telling = new Map<RawPath, Set<string>>();
  for (const path of walk.entries.keys()) {
    const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
    if (name === ".git") gitEntries.push(path);
    if (!tellingNames.has(name)) continue;
    const folder = parentOf(path);
    const names = telling.get(folder) ?? new Set();
    telling.set(folder, names.add(name));
  }
  const gitDirs = [...telling].filter(([, names]) => looksLikeGitDir(names)).map(([folder]) => folder);
  return { gitEntries, gitDirs: gitDirs.filter((folder) => !/(?:^|\/)\.git(?:\/|$)/i.test(folder)) };
}

const tellingNames = new Set(["head", "objects", "refs", "commondir", "config", "hooks"]);

function looksLikeGitDir(names: ReadonlySet<string>): boolean {
  const store = names.has("objects") && names.has("refs");
  if (names.has("head")) return store || names.has("commondir");
  return store && (names.has("config") || names.has("hooks"));
}
