import { expect, test } from "vitest";
import { LinkEnds } from "../../runner/disk/link-ends.js";
import { isGitName } from "../../runner/hands/roles/clerk/worktree/git-names.js";

const ends = (targets: Map<string, string>) => new LinkEnds(targets, isGitName);

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
  ["the root of the file system", "a", { a: "/" }, "out"],
  ["a loop on the way", "a", { a: "b/../../x", b: "c", c: "b" }, null],
  ["a loop that others lead to", "a", { a: "b", b: "c", c: "b" }, null],
  ["outside, by many others", "a0", chain(100, "../x"), "out"],
])("a link is followed to its end: %s", async (_, link, of, where) =>
  expect(await ends(new Map(Object.entries<string>(of))).astray(link)).toBe(where),
);

/** a0 → a1 → a2 …, each through a target of the greatest length. */
function chain(length: number, end: string): Record<string, string> {
  const detour = "x/../".repeat(800);
  const link = (at: number) => [`a${at}`, at === length - 1 ? end : `${detour}a${at + 1}`];
  return Object.fromEntries(Array.from({ length }, (_, at) => link(at)));
}

test("a chain of links costs no more than its length, and other work gets its turn", async () => {
  const all = ends(new Map(Object.entries(chain(1_000, "x"))));
  const started = performance.now();
  let turns = 0;
  let over = false;
  const others = () => {
    turns += 1;
    if (!over) setImmediate(others);
  };
  others();
  for (let at = 0; at < 1_000; at += 1) expect(await all.astray(`a${at}`)).toBe(null);
  over = true;
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(turns).toBeGreaterThan(50);
});

test("a chain of links that never ends is given up", async () => {
  const all = ends(new Map(Object.entries(chain(4_000, "x"))));
  expect(await all.astray("a0")).toBe("too far to be followed");
});
