import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GitRepo } from "../helpers/git-repo.js";

const identity = (name: string, email: string) => `[user]\n\tname = ${name}\n\temail = ${email}\n`;

async function authorOf(repo: GitRepo) {
  return (await repo.preflight()).author;
}

test("the author is who git would name, with the place where that is set", async () => {
  using repo = GitRepo.withCommit();
  expect(await authorOf(repo)).toEqual({ name: "tilth", email: "tilth@localhost", from: "tilth's own default" });
  mkdirSync(join(repo.userHome, ".config/git"), { recursive: true });
  writeFileSync(join(repo.userHome, ".config/git/config"), identity("Xdg", "xdg@x"));
  expect(await authorOf(repo)).toMatchObject({ name: "Xdg", from: join(repo.userHome, ".config/git/config") });
  writeFileSync(join(repo.userHome, ".gitconfig"), identity("Home", "home@x"));
  expect(await authorOf(repo)).toMatchObject({ name: "Home", email: "home@x" });
  repo.config("user.name", "Local");
  expect(await authorOf(repo)).toMatchObject({
    name: "Local",
    email: "home@x",
    from: `${join(repo.path, ".git/config")}, ${join(repo.userHome, ".gitconfig")}`,
  });
});

test("author.* ranks before user.*, wherever either stands", async () => {
  using repo = GitRepo.withCommit().config("user.name", "Local");
  writeFileSync(join(repo.userHome, ".gitconfig"), "[author]\n\tname = Author\n");
  expect(await authorOf(repo)).toMatchObject({ name: "Author" });
});

test("includes are followed where their condition holds, and nowhere else", async () => {
  using repo = GitRepo.withCommit();
  const main = `${identity("Home", "home@x")}[includeIf "gitdir:${repo.root}/"]\n\tpath = work\n[includeIf "gitdir:/elsewhere/"]\n\tpath = other\n`;
  writeFileSync(join(repo.userHome, ".gitconfig"), main);
  writeFileSync(join(repo.userHome, "work"), "[user]\n\temail = work@x\n");
  writeFileSync(join(repo.userHome, "other"), "[user]\n\tname = Other\n");
  expect(await authorOf(repo)).toMatchObject({ name: "Home", email: "work@x" });
});

test("the environment is ignored", async () => {
  using repo = GitRepo.withCommit();
  process.env.GIT_AUTHOR_NAME = "Env";
  process.env.EMAIL = "env@x";
  try {
    expect(await authorOf(repo)).toMatchObject({ name: "tilth", email: "tilth@localhost" });
  } finally {
    delete process.env.GIT_AUTHOR_NAME;
    delete process.env.EMAIL;
  }
});

test("a name that could break a commit object is cleaned, and ignored when nothing is left of it", async () => {
  using repo = GitRepo.withCommit().config("user.name", "Eve <x>\nauthor evil").config("user.email", "<>");
  expect(await authorOf(repo)).toMatchObject({ name: "Eve x author evil", email: "tilth@localhost" });
});
