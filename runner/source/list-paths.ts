import type { CommitId } from "../support/ids.js";
import type { Repository } from "./base-pack.js";

/** Paths of `commit` below `folder`, which ends with a slash. */
export async function listPaths(
  source: Repository,
  { commit, folder }: { commit: CommitId; folder: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answer = await source.git.run(["ls-tree", "--name-only", "-r", "-z", "--full-tree", commit, "--", folder], {
    gitDir: source.gitDir,
    doing: `list ${folder} of the base commit`,
    signal,
  });
  return answer.stdout
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "");
}
