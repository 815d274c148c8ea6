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
