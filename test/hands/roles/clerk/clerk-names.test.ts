import { expect, test } from "vitest";
import { isGitName } from "../../../../runner/hands/roles/clerk/worktree/git-names.js";

const latin1 = (text: string) => Buffer.from(text).toString("latin1");

test.each([
  ".git",
  ".GIT",
  ".git.",
  ".git ",
  "git~1",
  "GIT~1",
  ".git::$INDEX_ALLOCATION",
  ".g\u200cit",
  "a\\.git\\b",
  "\ufeff.git",
])("%j means .git to some system", (name) => expect(isGitName(latin1(name))).toBe(true));

test.each([".gitignore", ".github", "git", "x.git", ".git2", "git~2", "digit~1", "..git"])(
  "%j is an ordinary name",
  (name) => expect(isGitName(latin1(name))).toBe(false),
);
