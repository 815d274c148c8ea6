import { oneLine } from "../../text/sanitise.js";
import type { Repository, TreeSize } from "./base-pack.js";
import { ObjectReader } from "./object-reader.js";

const maxAttributesBytes = 1024 * 1024;

/** Tells the person, in sentences, what a session lacks of the base: nothing is cloned or downloaded for it. */
export async function leftOutOf(source: Repository, size: TreeSize, signal: AbortSignal): Promise<string[]> {
  const remarks: string[] = [];
  const [first, ...others] = size.submodules;
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    remarks.push(`submodules are empty folders in a session: ${oneLine(first, 80)}${more}`);
  }
  const attributes = await attributesOf(source, size.attributeFiles, signal);
  for (const [pattern, remark] of telling) if (pattern.test(attributes)) remarks.push(remark);
  return remarks;
}

const telling: readonly (readonly [RegExp, string])[] = [
  [
    /^[^#\n]*\sfilter=lfs(?:\s|$)/m,
    "files kept with Git LFS are pointer files in a session; their content is not there",
  ],
  [
    /^[^#\n]*\sworking-tree-encoding=/m,
    "files with a working-tree-encoding are UTF-8 in a session; git status in its worktree calls them changed",
  ],
];

async function attributesOf(source: Repository, files: readonly string[], signal: AbortSignal): Promise<string> {
  if (files.length === 0) return "";
  const call = { gitDir: source.gitDir, doing: "read .gitattributes", signal };
  await using reader = new ObjectReader(source.git, call);
  const contents = await reader.contents([...new Set(files)], "blob", maxAttributesBytes);
  return contents.map((content) => content?.toString("latin1") ?? "").join("\n");
}
