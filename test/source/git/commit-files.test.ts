import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommitFiles, nearestTag } from "../../../runner/source/git/commit-files.js";
import { GitRepo, never } from "../../helpers/git-repo.js";

test("a commit's regular files are listed and read from its objects, whatever the work tree holds now", async () => {
  using repo = GitRepo.withCommit({ "a.txt": "one\n", "src/b c.py": "two\n", "größe.txt": "three\n" });
  symlinkSync("a.txt", join(repo.path, "link.txt"));
  repo.commit("a link");
  const source = await repo.preflight();
  repo.files({ "a.txt": "changed\n", "new.txt": "" });
  const files = new CommitFiles(source, source.head, never);
  expect([...(await files.blobs()).keys()].sort()).toEqual(["a.txt", "größe.txt", "src/b c.py"]);
  const read = async (path: string, most = 100) => (await files.read(path, most))?.toString() ?? null;
  expect(await read("src/b c.py")).toBe("two\n");
  expect([await read("link.txt"), await read("new.txt"), await read("a.txt", 2)]).toEqual([null, null, null]);
});

test("the nearest tag is one that the commit descends from", async () => {
  using repo = GitRepo.withCommit();
  const source = await repo.preflight();
  expect(await nearestTag(source, source.head, never)).toBeNull();
  repo.git("tag", "v1.2");
  repo.files({ "a.txt": "two\n" }).commit("second");
  repo.git("branch", "side");
  const head = (await repo.preflight()).head;
  expect(await nearestTag(source, head, never)).toBe("v1.2");
  repo.files({ "a.txt": "three\n" }).commit("third");
  repo.git("tag", "v9");
  expect(await nearestTag(source, head, never)).toBe("v1.2");
});
