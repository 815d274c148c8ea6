import type { RawPath } from "./worktree-walk.js";

/** Git's view of the worktree, with its ignore rules applied. */
export interface IndexStatus {
  /** maps each path to its mode */
  readonly cached: ReadonlyMap<RawPath, string>;
  /** cached files that differ from the index, deleted ones included */
  readonly touched: ReadonlySet<RawPath>;
  /** in no index and not ignored; a nested repository is listed as its folder with a slash */
  readonly untracked: ReadonlySet<RawPath>;
}

/** The arguments of `git ls-files` that produce it. */
export const statusArgs = "-z -t -s --cached --others --modified --deleted --exclude-standard";

/** Reads `? path` for untracked files and `T mode oid stage<TAB>path` for entries of the index. */
export function parseStatus(records: Iterable<string>): IndexStatus {
  const [cached, touched, untracked] = [new Map<RawPath, string>(), new Set<RawPath>(), new Set<RawPath>()];
  for (const line of records) {
    if (line.startsWith("? ")) untracked.add(line.slice(2));
    else {
      const path = line.slice(line.indexOf("\t") + 1);
      cached.set(path, line.slice(2, 8));
      if (!line.startsWith("H ")) touched.add(path);
    }
  }
  return { cached, touched, untracked };
}

/** Returns every folder that holds one of `paths`. */
export function foldersOf(paths: Iterable<RawPath>): Set<RawPath> {
  const folders = new Set<RawPath>();
  for (const path of paths) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const folder = path.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

export function parentOf(path: RawPath): RawPath {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
