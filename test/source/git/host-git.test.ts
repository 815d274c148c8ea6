import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Interrupted, TilthError } from "../../../runner/base/errors.js";
import { HostGit } from "../../../runner/source/git/host-git.js";
import { refuseOldGit } from "../../../runner/source/preflight/preflight.js";
import { GitRepo, never } from "../../helpers/git-repo.js";

/** A git that runs `script` instead. */
function pretend(repo: GitRepo, script: string): HostGit {
  const folder = join(repo.root, "bin with space");
  mkdirSync(folder);
  writeFileSync(join(folder, "git"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "git"), 0o755);
  return HostGit.find({ ...repo.places(), path: `relative:${folder}:/usr/bin:/bin` });
}

const call = (repo: GitRepo) => ({ gitDir: join(repo.path, ".git"), doing: "do this", signal: never });

test("every git gets a hardened environment made from nothing, outside any repository", async () => {
  using repo = new GitRepo();
  const out = join(repo.root, "seen");
  const git = pretend(repo, `{ pwd; env; } >> '${out}'; echo done`);
  process.env.GIT_SSH_COMMAND = "evil";
  process.env.TILTH_API_KEY = "secret";
  try {
    await git.text(["status"], call(repo));
    await git.run(["status"], call(repo));
  } finally {
    delete process.env.GIT_SSH_COMMAND;
    delete process.env.TILTH_API_KEY;
  }
  const seen = readFileSync(out, "utf8");
  for (const line of [
    "GIT_CONFIG_GLOBAL=/dev/null",
    "GIT_ALLOW_PROTOCOL=none",
    "GIT_NO_REPLACE_OBJECTS=1",
    "GIT_NO_LAZY_FETCH=1",
  ]) {
    expect(seen.split(`\n${line}\n`)).toHaveLength(3);
  }
  expect(seen).toMatch(/^\/\n/);
  expect(seen).toMatch(/=core\.hooksPath\n/);
  expect(seen).not.toMatch(/evil|secret/);
});

test("a git that fails without an error message is a failure", async () => {
  using repo = new GitRepo();
  const git = pretend(repo, "exit 7");
  await expect(git.text(["status"], call(repo))).rejects.toMatchObject({ code: "infra" });
  await expect(git.run(["status"], call(repo))).rejects.toMatchObject({ code: "infra" });
  expect(await git.run(["status"], { ...call(repo), accept: [7] })).toMatchObject({ exit: 7 });
});

test.each([
  ["fatal: unable to write loose object file: No space left on device", /^free some space/],
  ["error: unable to create temporary file: Read-only file system", /^mount it writable/],
  ["error: object file is empty", /^see what is wrong with it, .* fsck --connectivity-only$/],
])("a git that fails and says %j is reported with what helps", async (said, remedy) => {
  using repo = new GitRepo();
  const git = pretend(repo, `echo '${said}' >&2; exit 128`);
  await expect(git.run(["status"], call(repo))).rejects.toMatchObject({
    code: "infra",
    message: expect.stringContaining(said),
    hint: expect.stringMatching(remedy),
  });
});

test("a git that dies is an infrastructure failure, however it was called", async () => {
  using repo = new GitRepo();
  const git = pretend(repo, "kill -9 $$");
  await expect(git.text(["status"], call(repo))).rejects.toBeInstanceOf(TilthError);
  await expect(git.run(["status"], call(repo))).rejects.toBeInstanceOf(TilthError);
});

test("a git that does not answer is ended, and reported as such", async () => {
  using repo = new GitRepo();
  const git = pretend(repo, "exec sleep 60");
  const limited = { ...call(repo), timeoutMs: 100 };
  await expect(git.text(["status"], limited)).rejects.toThrow("did not answer in time");
  await expect(git.run(["status"], limited)).rejects.toThrow("did not answer in time");
});

test("an abort ends git with an interruption", async () => {
  using repo = new GitRepo();
  const git = pretend(repo, "exec sleep 60");
  const signal = AbortSignal.timeout(50);
  await expect(git.text(["status"], { ...call(repo), signal })).rejects.toBeInstanceOf(Interrupted);
  await expect(git.run(["status"], { ...call(repo), signal })).rejects.toBeInstanceOf(Interrupted);
});

test("input that breaks is thrown as it is, and git is ended", async () => {
  using repo = new GitRepo();
  const broken = (async function* () {
    yield Buffer.from("half");
    throw new RangeError("the channel closed");
  })();
  const run = repo.hostGit().run(["hash-object", "--stdin"], { ...call(repo), input: broken });
  await expect(run).rejects.toThrow("the channel closed");
});

test("a git older than tilth needs is refused", async () => {
  using repo = new GitRepo();
  await refuseOldGit(repo.hostGit(), never);
  const git = pretend(repo, "echo git version 2.35.9");
  await expect(refuseOldGit(git, never)).rejects.toMatchObject({
    code: "usage",
    hint: expect.stringContaining("2.36"),
  });
});

test("no git on the path is a usage error", () => {
  using repo = new GitRepo();
  expect(() => HostGit.find({ ...repo.places(), path: "bin:/nonexistent" })).toThrow(
    expect.objectContaining({ code: "usage" }),
  );
});
