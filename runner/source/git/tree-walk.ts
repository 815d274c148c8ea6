import { TilthError } from "../../base/errors.js";
import type { ObjectReader } from "./object-reader.js";
import { treeCaps } from "./tree-caps.js";
import { asGitReads, folderMode, gitlinkMode, parseTree, type TreeItem } from "./tree-object.js";

/** One path at which a tree differs from the one before it. */
export interface TreeChange {
  readonly path: Buffer;
  /** the entry now; null when it is gone */
  readonly item: TreeItem | null;
  readonly before: TreeItem | null;
}

interface Pair {
  readonly path: Buffer;
  readonly depth: number;
  readonly before: string | null;
  readonly after: string | null;
}

/** Reads trees, each of them once. */
export class TreeReader {
  readonly objects: ObjectReader;
  readonly #read = new Map<string, readonly TreeItem[]>();

  constructor(objects: ObjectReader) {
    this.objects = objects;
  }

  /** Reads all of `oids` in one round trip. */
  async load(oids: readonly string[]): Promise<void> {
    const missing = [...new Set(oids)].filter((oid) => !this.#read.has(oid));
    const contents = await this.objects.contents(missing, "tree", treeCaps.treeBytes);
    for (const [index, oid] of missing.entries()) {
      const content = contents[index];
      const items = content ? parseTree(content) : null;
      if (items === null) throw refuse(`tree ${oid} is missing, too big or no tree`);
      this.#read.set(oid, items);
    }
  }

  async items(oid: string): Promise<readonly TreeItem[]> {
    await this.load([oid]);
    return this.#read.get(oid) ?? [];
  }
}

/**
 * Lists every path at which `after` differs from `before`, folders included; reads only folders that differ. It goes
 * level by level, so that a whole level takes one round trip.
 */
export async function walkChange(trees: TreeReader, before: string, after: string): Promise<TreeChange[]> {
  const changes: TreeChange[] = [];
  let level: Pair[] = before === after ? [] : [{ path: Buffer.alloc(0), depth: 0, before, after }];
  while (level.length > 0) {
    await trees.load(level.flatMap((pair) => [pair.before, pair.after].filter((oid) => oid !== null)));
    const next: Pair[] = [];
    for (const pair of level) {
      if (pair.depth > treeCaps.depth) throw refuse(`its folders are more than ${treeCaps.depth} deep`);
      for (const change of await compare(trees, pair)) {
        changes.push(change);
        if (changes.length > treeCaps.entries) throw refuse(`it changes more than ${treeCaps.entries} paths`);
        const inside = folderPair(change, pair.depth + 1);
        if (inside !== null) next.push(inside);
      }
    }
    level = next;
  }
  return changes;
}

/** Takes old entries with the modes that git reads: today's git may write the same file with another mode. */
async function compare(trees: TreeReader, pair: Pair): Promise<TreeChange[]> {
  const before = new Map(
    (pair.before ? await trees.items(pair.before) : []).map((item) => [
      nameKey(item),
      { ...item, mode: asGitReads(item.mode) },
    ]),
  );
  const changes: TreeChange[] = [];
  for (const item of pair.after ? await trees.items(pair.after) : []) {
    const old = before.get(nameKey(item)) ?? null;
    before.delete(nameKey(item));
    if (old?.oid === item.oid && old.mode === item.mode) continue;
    changes.push({ path: joined(pair.path, item.name), item, before: old });
  }
  for (const old of before.values()) changes.push({ path: joined(pair.path, old.name), item: null, before: old });
  return changes;
}

/** A deleted folder is one change: nothing in it needs a look. */
function folderPair({ path, item, before }: TreeChange, depth: number): Pair | null {
  if (item?.mode !== folderMode) return null;
  return { path, depth, before: before?.mode === folderMode ? before.oid : null, after: item.oid };
}

function nameKey(item: TreeItem): string {
  return item.name.toString("latin1");
}

function joined(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, Buffer.from("/"), name]);
}

export function isGitlink(item: TreeItem): boolean {
  return item.mode === gitlinkMode;
}

/** The clerk checked all this before the tree was judged, so a problem here is a fault and no verdict. */
export function refuse(why: string): TilthError {
  return new TilthError(
    "infra",
    `an accepted commit cannot be taken into the source: ${why}`,
    "the source is unchanged; tilth resume makes the commit again",
  );
}
