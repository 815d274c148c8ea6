import { isDotGitLike } from "./entry-names.js";
import { treeCaps } from "./tree-caps.js";
import { folderMode, linkMode, type TreeItem } from "./tree-object.js";
import { refuse, type TreeReader } from "./tree-walk.js";

const maxHops = 40;

/** Follows links inside one tree, as a file system that held it would. */
export class LinkResolver {
  readonly #trees: TreeReader;
  readonly #root: string;
  readonly #targets = new Map<string, Buffer>();

  constructor(trees: TreeReader, root: string) {
    this.#trees = trees;
    this.#root = root;
  }

  /** Why the link at `path` must not be; null when it stays inside, dangling ones included. */
  async problem(path: Buffer, oid: string): Promise<"leads out" | "leads into .git" | "leads in a circle" | null> {
    let here = parts(path).slice(0, -1);
    let ahead = parts(await this.#target(oid));
    if (isAbsolute(await this.#target(oid))) return "leads out";
    for (let hops = 0; ahead.length > 0; ) {
      const [part = "", ...rest] = ahead;
      ahead = rest;
      if (part === "" || part === ".") continue;
      if (part === "..") {
        if (here.length === 0) return "leads out";
        here = here.slice(0, -1);
        continue;
      }
      if (isDotGitLike(Buffer.from(part, "latin1").toString("utf8"))) return "leads into .git";
      const item = await this.#lookUp([...here, part]);
      if (item?.mode !== linkMode) {
        here = [...here, part];
        continue;
      }
      hops += 1;
      if (hops > maxHops) return "leads in a circle";
      const target = await this.#target(item.oid);
      if (isAbsolute(target)) return "leads out";
      ahead = [...parts(target), ...ahead];
    }
    return null;
  }

  /** Every link of the tree; reads all of it. */
  async all(): Promise<{ path: Buffer; item: TreeItem }[]> {
    const links: { path: Buffer; item: TreeItem }[] = [];
    let level = [{ path: "", oid: this.#root }];
    while (level.length > 0) {
      await this.#trees.load(level.map((folder) => folder.oid));
      const next: typeof level = [];
      for (const { path, oid } of level) {
        for (const item of await this.#trees.items(oid)) {
          const inside = path === "" ? name(item) : `${path}/${name(item)}`;
          if (item.mode === folderMode) next.push({ path: inside, oid: item.oid });
          if (item.mode === linkMode) links.push({ path: Buffer.from(inside, "latin1"), item });
        }
      }
      level = next;
    }
    return links;
  }

  async #lookUp(path: readonly string[]): Promise<TreeItem | null> {
    let folder = this.#root;
    for (const [depth, part] of path.entries()) {
      const found = (await this.#trees.items(folder)).find((item) => name(item) === part);
      if (found === undefined || depth === path.length - 1) return found ?? null;
      if (found.mode !== folderMode) return null;
      folder = found.oid;
    }
    return null;
  }

  async #target(oid: string): Promise<Buffer> {
    const known = this.#targets.get(oid);
    if (known !== undefined) return known;
    const [target] = await this.#trees.objects.contents([oid], "blob", treeCaps.linkBytes);
    if (!target) throw refuse(`the link target ${oid} is missing or too long`);
    this.#targets.set(oid, target);
    return target;
  }
}

/** As latin1, in which bytes and characters are the same thing. */
function parts(path: Buffer): string[] {
  return path.toString("latin1").split("/");
}

function name(item: TreeItem): string {
  return item.name.toString("latin1");
}

function isAbsolute(target: Buffer): boolean {
  return target[0] === 47;
}
