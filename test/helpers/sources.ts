import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type CommitId, commitId } from "../../runner/base/ids.js";
import { git, gitLine } from "./fake-git.js";

export type Files = Readonly<Record<string, string | Uint8Array>>;

const identity = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** Makes a source repository for a test, with `files` as its one commit. */
export async function makeSource(folder: string, files: Files): Promise<CommitId> {
  await git(["init", "--quiet", "--initial-branch=main", folder]);
  return commitFiles(folder, files);
}

export async function commitFiles(folder: string, files: Files): Promise<CommitId> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await git(["add", "-A"], { cwd: folder });
  await git(["commit", "--quiet", "--allow-empty", "-m", "change"], { cwd: folder, env: identity });
  return commitId(await gitLine(["rev-parse", "HEAD"], { cwd: folder }));
}

/** The pack that the host sends a clerk: the whole of `commit`, and nothing of its history. */
export async function* packOf(folder: string, commit: CommitId): AsyncGenerator<Uint8Array> {
  const objects = await git(["rev-list", "--objects", "--no-object-names", "--max-count=1", commit], { cwd: folder });
  yield await git(["pack-objects", "--stdout", "-q"], { input: objects, cwd: folder });
}
