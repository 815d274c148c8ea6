/** Limits of a tree, and of what a commit adds to one; they hold for the base and for every commit that comes out. */
export const treeCaps = {
  entries: 500_000,
  bytes: 4 * 1024 ** 3,
  /** folders inside folders */
  depth: 128,
  nameBytes: 255,
  /** for one entry with its folders: no file system opens a longer path */
  pathBytes: 4_000,
  /** the paths of all entries together */
  allPathBytes: 100 * 1024 ** 2,
  /** one tree object: the folder with the most entries */
  treeBytes: 64 * 1024 ** 2,
  linkBytes: 4_096,
} as const;
