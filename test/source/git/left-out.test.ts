import { expect, test } from "vitest";
import { measureBase } from "../../../runner/source/git/base-pack.js";
import { leftOutOf } from "../../../runner/source/git/left-out.js";
import { GitRepo, never } from "../../helpers/git-repo.js";

async function said(repo: GitRepo): Promise<string[]> {
  const source = await repo.preflight();
  return await leftOutOf(source, await measureBase(source, source.head, never), never);
}

test("no remark is made on a source that a session gets whole, though its attributes mention LFS", async () => {
  using repo = GitRepo.withCommit({
    ".gitattributes": "# *.bin filter=lfs\n*.txt text eol=crlf\n*.x filter=lfsx\n",
    "my.gitattributes": "* filter=lfs\n",
    "docs/x.gitattributes/a": "* filter=lfs\n",
  });
  expect(await said(repo)).toEqual([]);
});

test("submodules, LFS and other encodings are reported, wherever the attributes are", async () => {
  using repo = GitRepo.withCommit({ "data/.gitattributes": "*.bin filter=lfs diff=lfs -text\n", "data/a.bin": "x" });
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo.path, "lib/one");
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo.path, "two");
  repo.files({ ".gitattributes": "*.u16 text working-tree-encoding=UTF-16LE\n" }).commit("more");
  expect(await said(repo)).toEqual([
    "submodules are empty folders in a session: lib/one and 1 more",
    expect.stringContaining("Git LFS are pointer files"),
    expect.stringContaining("working-tree-encoding are UTF-8"),
  ]);
});
