import { type TreeId, treeId } from "../../../base/ids.js";
import type { ClerkShell } from "./shell/clerk-shell.js";
import { parseTreeListing } from "./shell/git-output.js";
import { bytesFromPath } from "./shell/path-names.js";

interface MixRequest {
  readonly tree: TreeId;
  readonly other: TreeId;
  readonly paths: readonly string[];
}

const index = { GIT_INDEX_FILE: "/repo/index.mixed" };
const none = "0".repeat(40);

/** `tree` with `paths` as `other` has them. All go first, because a file may stand where a folder was. */
export async function mixedTree(
  shell: ClerkShell,
  { tree, other, paths }: MixRequest,
  signal: AbortSignal,
): Promise<TreeId> {
  const run = { signal, env: index };
  const wanted = new Set(paths);
  const listed = parseTreeListing(await shell.git(["ls-tree", "-r", "-l", "-z", "--full-tree", other], { signal }));
  const gone = paths.map((path) => lineFor("0", none, path));
  const put = listed.filter(({ path }) => wanted.has(path)).map(({ mode, oid, path }) => lineFor(mode, oid, path));
  await shell.git(["read-tree", "--reset", tree], run);
  await shell.git(["update-index", "-z", "--index-info"], { ...run, stdin: Buffer.concat([...gone, ...put]) });
  return treeId((await shell.git(["write-tree"], run)).toString("latin1").trim());
}

function lineFor(mode: string, oid: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${oid}\t`), bytesFromPath(path), Buffer.from([0])]);
}
