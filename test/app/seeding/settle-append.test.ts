import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settleAppend } from "../../../runner/app/seeding/settle-append.js";
import { adminEntries } from "../../../runner/source/refs/worktree-admin.js";
import { GitRepo, never } from "../../helpers/git-repo.js";
import { planted } from "../../helpers/numbered-seed.js";

test("a lock left by the session's own interrupted git is no obstacle, and a lock of the person's git stays", async () => {
  using repo = GitRepo.withCommit({ "README.md": "# x\n" });
  const { source, files, hands } = await planted(repo, { tasks: 1 });
  const [entry = ""] = adminEntries(source.commonDir, files.paths.worktree);
  const tip = files.loadCheckpoint().last_commit;
  const readTip = () => repo.git(`--git-dir=${entry}`, "read-tree", tip);
  const persons = join(repo.path, ".git", "index.lock");
  for (const lock of [join(entry, "index.lock"), persons]) writeFileSync(lock, "");
  expect(readTip).toThrow(/index\.lock/);
  await settleAppend({ files, source, hands, signal: never });
  readTip();
  expect(existsSync(persons)).toBe(true);
});
