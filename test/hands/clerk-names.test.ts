import { expect, test } from "vitest";
import { isGitName } from "../../runner/hands/clerk/git-names.js";
import { leadsAstray } from "../../runner/hands/clerk/links.js";

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
])("%j is a name of git somewhere", (name) => expect(isGitName(latin1(name))).toBe(true));

test.each([".gitignore", ".github", "git", "x.git", ".git2", "git~2", "digit~1", "..git"])(
  "%j is an ordinary name",
  (name) => expect(isGitName(latin1(name))).toBe(false),
);

const links = (of: Record<string, string>) => new Map(Object.entries(of));

test.each([
  ["an absolute target", "a", { a: "/etc/passwd" }, "out"],
  ["climbing over the root", "d/a", { "d/a": "../../x" }, "out"],
  ["climbing through another link", "a", { a: "d/../../x", d: "e/f" }, null],
  ["climbing through what is a folder now", "a", { a: "d/../../x" }, "out"],
  ["leading out at the second hop", "a", { a: "b/passwd", b: "/etc" }, "out"],
  ["leading out by a folder that is a link to above", "x/a", { "x/a": "up/../..", "x/up": "../y" }, "out"],
  [".git itself", "a", { a: ".git" }, "into .git"],
  [".git in another case, below", "d/a", { "d/a": "../sub/.GIT/hooks" }, "into .git"],
  ["a sibling", "d/a", { "d/a": "../README.md" }, null],
  ["the root", "d/a", { "d/a": ".." }, null],
  ["a loop", "a", { a: "b", b: "a" }, null],
  ["nothing yet", "a", { a: "missing/too" }, null],
])("a link to %s is told", (_, link, of, where) =>
  expect(leadsAstray(link, links(of as Record<string, string>))).toBe(where),
);
