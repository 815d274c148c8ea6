import { TilthError } from "../../base/errors.js";
import type { CommitId } from "../../base/ids.js";
import type { Repository } from "./base-pack.js";

/** Paths of `commit` below `folder`, which ends with a slash. */
async function listPaths(
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

/** Lists the files in `tests`, the folder for a seed's tests; TilthError `usage` when it is not a folder. */
export async function listTests(source: Repository, commit: CommitId, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await source.git.run(["ls-tree", "-z", "--full-tree", commit, "--", "tests"], {
    gitDir: source.gitDir,
    doing: "look at tests of the base commit",
    signal,
  });
  const [, type = "tree"] = answer.stdout.toString("utf8").split(" ");
  if (type === "tree") return listPaths(source, { commit, folder: "tests/" }, signal);
  throw new TilthError(
    "usage",
    `'tests' of '${source.workTree}' is a link, a file or a submodule, and a seed's tests go into a folder of that name`,
    "make it a folder, and commit that",
  );
}
