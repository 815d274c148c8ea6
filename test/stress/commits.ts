import { join } from "node:path";
import type { CommitId, HostPath, SessionId } from "../../runner/base/ids.js";
import type { Source } from "../../runner/source/preflight/preflight.js";
import { SessionBranch } from "../../runner/source/session-branch.js";
import { deleteBranch } from "../../runner/source/worktree/checked-out.js";
import { addWorktree, removeWorktree } from "../../runner/source/worktree/worktree.js";
import { type GitRepo, never } from "../helpers/git-repo.js";
import { forgedCommit } from "./forged-commits.js";

const commitsEach = 10;

/** Runs one session of a source as git sees it: made, ten commits, removed. Gives the number of commits. */
export async function sessionOfCommits(repo: GitRepo, name: string): Promise<number> {
  const source = await repo.preflight();
  const id = name as SessionId;
  const path = join(repo.tilthHome, id, "workspace") as HostPath;
  await addWorktree(source, { id, path, base: source.head, group: null }, never);
  const tip = await commits(source, id, path);
  removeWorktree(source, path);
  await deleteBranch(source, id, tip, never);
  return commitsEach;
}

async function commits(source: Source, id: SessionId, worktree: HostPath): Promise<CommitId> {
  let tip = source.head;
  const branch = new SessionBranch(source, { id, base: tip, last: tip, worktree, allowed: null });
  for (let number = 0; number < commitsEach; number += 1) {
    const from = await branch.tip(never);
    const { commit, tree, pack } = forgedCommit(from, `${id} ${number}\n`);
    await branch.take({ commit, tree, parent: from, pack: pack() }, never);
    await branch.move({ from, to: commit, why: "task accepted" }, never);
    await branch.show(commit, never);
    await readBack(branch, commit, `${id} ${number}\n`);
    tip = commit;
  }
  return tip;
}

async function readBack(branch: SessionBranch, commit: CommitId, wanted: string): Promise<void> {
  const file = await branch.readFile(commit, "a.txt", 1024, never);
  const seen = file === null ? "nothing" : Buffer.from(file.content).toString();
  if (seen !== wanted) throw new Error(`a.txt of ${commit} holds ${seen}, not ${wanted}`);
}
