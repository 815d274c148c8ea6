import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HostPath } from "../../runner/base/ids.js";
import { addWorktree } from "../../runner/source/worktree/worktree.js";
import { GitRepo, never, sessionId } from "../helpers/git-repo.js";

interface Attack {
  readonly name: string;
  /** plants a config that would run `command` */
  readonly plant: (repo: GitRepo, command: string) => void;
  /** an everyday command of a person's git, which sets it off */
  readonly naive: (repo: GitRepo) => void;
  readonly refused: boolean;
}

const touchAndStatus = (repo: GitRepo) => {
  utimesSync(join(repo.path, "a.txt"), 1, 1);
  repo.tryGit("status");
};
const diff = (repo: GitRepo) => repo.files({ "a.txt": "two\n" }).tryGit("diff");
const addNaively = (repo: GitRepo) => repo.tryGit("worktree", "add", join(repo.root, "naive"));
const cleanFilter = (command: string) => `[filter "x"]\n\tclean = ${command}\n`;
const gitFile = (repo: GitRepo, name: string) => join(repo.path, ".git", name);

const attacks: readonly Attack[] = [
  { name: "filter.*.clean", plant: (r, c) => r.config("filter.x.clean", c), naive: touchAndStatus, refused: true },
  { name: "filter.*.process", plant: (r, c) => r.config("filter.x.process", c), naive: touchAndStatus, refused: true },
  { name: "filter.*.smudge", plant: (r, c) => r.config("filter.x.smudge", c), naive: addNaively, refused: true },
  {
    name: "a filter with = and . in its name",
    plant: (r, c) => r.config("filter.x.clean", c).config("filter.a=b.c.clean", c),
    naive: touchAndStatus,
    refused: true,
  },
  { name: "diff.external", plant: (r, c) => r.config("diff.external", c), naive: diff, refused: true },
  { name: "diff.*.command", plant: (r, c) => r.config("diff.x.command", c), naive: diff, refused: true },
  { name: "diff.*.textconv", plant: (r, c) => r.config("diff.x.textconv", c), naive: diff, refused: true },
  {
    name: "core.alternateRefsCommand",
    plant: (r, c) => {
      const other = GitRepo.withCommit();
      execFileSync("cp", ["-r", other.path, join(r.root, "other")]);
      other[Symbol.dispose]();
      writeFileSync(gitFile(r, "objects/info/alternates"), `${join(r.root, "other/.git/objects")}\n`);
      r.config("core.alternateRefsCommand", c);
    },
    naive: (r) => r.tryGit("rev-list", "--alternate-refs"),
    refused: true,
  },
  {
    name: "a filter behind an include",
    plant: (r, c) => {
      r.config("include.path", "more").config("core.quotePath", "false");
      writeFileSync(gitFile(r, "more"), "[include]\n\tpath = deeper\n");
      writeFileSync(gitFile(r, "deeper"), cleanFilter(c));
    },
    naive: touchAndStatus,
    refused: true,
  },
  {
    name: "a filter behind a condition",
    plant: (r, c) => {
      r.config("includeIf.onbranch:main.path", "more");
      writeFileSync(gitFile(r, "more"), cleanFilter(c));
    },
    naive: touchAndStatus,
    refused: true,
  },
  {
    name: "a filter behind `..` after a link",
    plant: (r, c) => {
      mkdirSync(join(r.root, "far/away"), { recursive: true });
      symlinkSync(join(r.root, "far/away"), gitFile(r, "link"));
      writeFileSync(join(r.root, "far/more"), cleanFilter(c));
      r.config("include.path", "link/../more");
    },
    naive: touchAndStatus,
    refused: true,
  },
  {
    name: "a filter in the person's home",
    plant: (r, c) => {
      r.config("include.path", "~/more");
      writeFileSync(join(r.userHome, "more"), cleanFilter(c));
    },
    naive: touchAndStatus,
    refused: true,
  },
  {
    name: "a filter in config.worktree",
    plant: (r, c) => {
      r.config("extensions.worktreeConfig", "true");
      writeFileSync(gitFile(r, "config.worktree"), cleanFilter(c));
    },
    naive: touchAndStatus,
    refused: true,
  },
  { name: "core.fsmonitor", plant: (r, c) => r.config("core.fsmonitor", c), naive: touchAndStatus, refused: false },
  {
    name: "a relative core.hooksPath with tracked hooks",
    plant: (r, c) => {
      r.files({ ".husky/post-checkout": `#!/bin/sh\n${c}\n` }).config("core.hooksPath", ".husky");
      execFileSync("chmod", ["+x", join(r.path, ".husky/post-checkout")]);
      r.commit("hooks");
    },
    naive: addNaively,
    refused: false,
  },
  {
    name: "hooks in the git directory",
    plant: (r, c) => {
      for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
        writeFileSync(gitFile(r, `hooks/${hook}`), `#!/bin/sh\n${c}\n`, { mode: 0o755 });
      }
    },
    naive: addNaively,
    refused: false,
  },
];

function victim(): GitRepo {
  return GitRepo.withCommit({ "a.txt": "one\n", ".gitattributes": "a.txt filter=x diff=x\n" });
}

async function everythingTilthDoes(repo: GitRepo, trust: boolean): Promise<void> {
  utimesSync(join(repo.path, "a.txt"), 1, 1);
  const source = await repo.preflight({ trust });
  const path = join(repo.tilthHome, "workspace") as HostPath;
  await addWorktree(source, { id: sessionId, path, base: source.head, group: null }, never);
}

describe.each(attacks)("$name", ({ plant, naive, refused }) => {
  test("runs under a naive git", () => {
    using repo = victim();
    const trap = repo.trap();
    plant(repo, trap.command);
    naive(repo);
    expect(trap.sprung()).toBe(true);
  });

  test(refused ? "is refused by name, and never runs even when trusted" : "never runs", async () => {
    using repo = victim();
    const trap = repo.trap();
    plant(repo, trap.command);
    if (refused) {
      await expect(repo.preflight()).rejects.toMatchObject({
        code: "usage",
        message: expect.stringMatching(/filter|diff|alternaterefs/),
      });
    }
    await everythingTilthDoes(repo, refused);
    expect(trap.sprung()).toBe(false);
  });
});

test("an honest config of the same shape passes", async () => {
  using repo = victim();
  repo.config("include.path", "more").config("includeIf.onbranch:main.path", "absent").config("filter.x.clean", "");
  repo
    .config("remote.origin.url", "https://example.org/r")
    .config("core.editor", "vi")
    .config("alias.st", "!git status");
  writeFileSync(gitFile(repo, "more"), "[diff]\n\trenames = true\n");
  await everythingTilthDoes(repo, false);
});

test("trust holds for those keys and values: git's own edits keep it, a changed include voids it", async () => {
  using repo = victim();
  repo.config("include.path", "more");
  writeFileSync(gitFile(repo, "more"), cleanFilter("one"));
  expect((await repo.preflight({ trust: true })).trustedKeys).toEqual(["filter.x.clean"]);
  repo.config("branch.main.remote", "origin").config("remote.origin.url", "https://example.org/r");
  await repo.preflight();
  writeFileSync(gitFile(repo, "more"), cleanFilter("two"));
  await expect(repo.preflight()).rejects.toThrow("differs from what was trusted");
});

test("a FIFO in the place of a config holds up a naive git, and tilth names it", async () => {
  using repo = victim();
  execFileSync("mkfifo", [gitFile(repo, "pipe")]);
  repo.config("include.path", "pipe");
  expect(repo.tryGit("status").timedOut).toBe(true);
  await expect(repo.preflight()).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("pipe' is not a plain file"),
  });
});

test("an oversized config is refused", async () => {
  using repo = victim();
  writeFileSync(gitFile(repo, "more"), `# ${"x".repeat(2 * 1024 * 1024)}\n`);
  repo.config("include.path", "more");
  await expect(repo.preflight()).rejects.toThrow("is too big");
});

test("the dirty check does not run a nested repository's fsmonitor", async () => {
  using repo = victim();
  const trap = repo.trap();
  const inner = new GitRepo();
  inner.files({ f: "1" }).commit("inner").config("core.fsmonitor", trap.command);
  execFileSync("cp", ["-r", inner.path, join(repo.path, "sub")]);
  inner[Symbol.dispose]();
  repo.git("update-index", "--add", "--cacheinfo", `160000,${repo.git("-C", "sub", "rev-parse", "HEAD").trim()},sub`);
  repo.git("commit", "-qm", "gitlink");
  repo.tryGit("status");
  const sprungByNaive = trap.sprung();
  execFileSync("rm", ["-f", `${trap.command}-sprung`]);
  await everythingTilthDoes(repo, false);
  expect([sprungByNaive, trap.sprung()]).toEqual([true, false]);
  expect(existsSync(join(repo.tilthHome, "workspace/sub"))).toBe(false);
});
