import { isGitName } from "./git-names.js";
import type { RawPath } from "./worktree-walk.js";

const mostHops = 40;

/** Where a link of a tree would lead: by resolution through the tree's other links, without asking the file system. */
export function leadsAstray(link: RawPath, links: ReadonlyMap<RawPath, string>): "out" | "into .git" | null {
  const here = link.split("/").slice(0, -1);
  const ahead = [link.slice(link.lastIndexOf("/") + 1)];
  for (let hops = 0; ahead.length > 0; ) {
    const name = ahead.shift();
    if (name === undefined || name === "" || name === ".") continue;
    if (name === "..") {
      if (here.pop() === undefined) return "out";
      continue;
    }
    if (isGitName(name)) return "into .git";
    here.push(name);
    const target = links.get(here.join("/"));
    if (target === undefined) continue;
    if (target.startsWith("/")) return "out";
    // a loop opens nothing
    if (++hops > mostHops) return null;
    here.pop();
    ahead.unshift(...target.split("/"));
  }
  return null;
}
