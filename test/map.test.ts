import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../runner/base/package-folder.js";

const map = readFileSync(join(packageFolder, "docs", "map.md"), "utf8");

/** Everything in backticks that looks like a path of the repository. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, one = ""]) => one);
  return quoted.filter((one) => /^(?:cli|runner|images|prompts|test|docs)\//.test(one));
}

const missing = (text: string) => pathsIn(text).filter((path) => !existsSync(join(packageFolder, path)));

test("every file and folder that the map names is there", () => {
  expect(pathsIn(map).length).toBeGreaterThan(60);
  expect(missing(map)).toEqual([]);
  expect(missing("see `runner/nowhere.ts` and `cli/`")).toEqual(["runner/nowhere.ts"]);
});

/** Pages whose files are this repository's own; the page of real projects names files of theirs. */
const pages = [
  "README.md",
  "AGENTS.md",
  "images/hands/README.md",
  "bench/README.md",
  ...pagesIn("docs"),
  ...pagesIn("docs/adr"),
];

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(packageFolder, folder)).filter((name) => name.endsWith(".md"));
  return names.filter((name) => name !== "real-projects.md").map((name) => `${folder}/${name}`);
}

/** TypeScript files that a page names with a folder. */
function sourcesIn(text: string): string[] {
  return [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)+\.ts)`/g)].map(([, one = ""]) => one);
}

test("a page names a source file by its path from the root, and the file is there", () => {
  const named = pages.map((page) => [page, sourcesIn(readFileSync(join(packageFolder, page), "utf8"))] as const);
  expect(named.flatMap(([, paths]) => paths).length).toBeGreaterThan(60);
  const gone = named.map(
    ([page, paths]) => [page, paths.filter((path) => !existsSync(join(packageFolder, path)))] as const,
  );
  expect(gone.filter(([, paths]) => paths.length > 0)).toEqual([]);
  expect(sourcesIn("in `support/awake.ts`, not `a.ts`")).toEqual(["support/awake.ts"]);
});

test("every room is on the map", () => {
  const rooms = readdirSync(join(packageFolder, "runner"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(rooms.map(({ name }) => `runner/${name}/`).filter((room) => !map.includes(`\`${room}`))).toEqual([]);
});

test("a walk has at most twelve steps, and each begins with a file", () => {
  const walks = map.split(/^### /m).slice(1);
  const steps = walks.map((walk) => walk.match(/^\d+\. .*$/gm) ?? []);
  expect(steps.map(({ length }) => length <= 12 && length > 3)).toEqual([true, true, true]);
  expect(steps.flat().filter((step) => !/^\d+\. `[^`]+`/.test(step))).toEqual([]);
});
