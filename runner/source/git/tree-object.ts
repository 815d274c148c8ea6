/** An entry of one tree object; names are bytes and need not be text. */
export interface TreeItem {
  readonly mode: string;
  readonly name: Buffer;
  readonly oid: string;
}

/** Reads the entries of a tree object; null when the bytes are no tree. */
export function parseTree(content: Buffer): TreeItem[] | null {
  const items: TreeItem[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at);
    const zero = content.indexOf(0, space);
    if (space < 0 || zero < 0 || zero + 21 > content.length) return null;
    items.push({
      mode: content.toString("latin1", at, space),
      name: content.subarray(space + 1, zero),
      oid: content.toString("hex", zero + 1, zero + 21),
    });
    at = zero + 21;
  }
  return items;
}

export const folderMode = "40000";
export const linkMode = "120000";
export const gitlinkMode = "160000";
const knownModes: ReadonlySet<string> = new Set(["100644", "100755", linkMode, folderMode]);

export function isKnownMode(mode: string): boolean {
  return knownModes.has(mode);
}

/** Turns the modes of older gits into those of today, as git does when it reads them. */
export function asGitReads(mode: string): string {
  const bits = Number.parseInt(mode, 8);
  const kind = bits & 0o170000;
  if (kind === 0o100000) return bits & 0o100 ? "100755" : "100644";
  return kind === 0o120000 ? linkMode : kind === 0o040000 ? folderMode : gitlinkMode;
}

/** Reads tree and parents from a commit object; null when the bytes are no commit. */
export function parseCommit(content: Buffer): { tree: string; parents: string[] } | null {
  const [head = ""] = content.toString("latin1").split("\n\n", 1);
  const lines = head.split("\n");
  const tree = /^tree ([0-9a-f]{40})$/.exec(lines[0] ?? "")?.[1];
  if (tree === undefined) return null;
  const parents: string[] = [];
  for (const line of lines.slice(1)) {
    const parent = /^parent ([0-9a-f]{40})$/.exec(line)?.[1];
    if (parent === undefined) break;
    parents.push(parent);
  }
  return { tree, parents };
}
