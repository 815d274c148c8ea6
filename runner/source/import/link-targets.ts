import { treeCaps } from "../git/tree-caps.js";
import { asGitReads, folderMode, linkMode, type TreeItem } from "../git/tree-object.js";
import { refuse, type TreeReader } from "../git/tree-walk.js";

/** Maps the path of every link in the tree to its target, with one character per byte. Reads the whole tree. */
export async function linkTargets(trees: TreeReader, root: string): Promise<Map<string, string>> {
  const links = await linksIn(trees, root);
  const contents = await trees.objects.contents([...new Set(links.values())], "blob", treeCaps.linkBytes);
  const byOid = new Map([...new Set(links.values())].map((oid, at) => [oid, contents[at]]));
  const targets = new Map<string, string>();
  for (const [path, oid] of links) {
    const target = byOid.get(oid);
    if (!target) throw refuse(`the link target ${oid} is missing or too long`);
    targets.set(path, target.toString("latin1"));
  }
  return targets;
}

async function linksIn(trees: TreeReader, root: string): Promise<Map<string, string>> {
  const links = new Map<string, string>();
  let level = [{ path: "", oid: root }];
  while (level.length > 0) {
    await trees.load(level.map((folder) => folder.oid));
    const next: typeof level = [];
    for (const { path, oid } of level) {
      for (const item of await trees.items(oid)) {
        const inside = () => (path === "" ? name(item) : `${path}/${name(item)}`);
        const mode = asGitReads(item.mode);
        if (mode === folderMode) next.push({ path: inside(), oid: item.oid });
        if (mode === linkMode) links.set(inside(), item.oid);
      }
    }
    level = next;
  }
  return links;
}

function name(item: TreeItem): string {
  return item.name.toString("latin1");
}
