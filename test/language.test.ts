import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../runner/base/package-folder.js";

const folders = ["cli", "runner", "images", "scripts", "bench", "test"];
const programs = /\.(?:ts|js|py|sh)$|(?:^|\/)Dockerfile$/;
/** A comment or docstring whose first word makes a riddle of it. */
const riddle = /^\s*(?:\/\*\*|\*|\/\/|#|""")\s*(?:What|Of|That|Whose)\b.*$/gm;

const riddlesIn = (source: string) => [...source.matchAll(riddle)].map(([line]) => line.trim());

test("a comment is a sentence, and begins with none of What, Of, That and Whose", () => {
  const files = folders.flatMap((folder) =>
    readdirSync(join(packageFolder, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => programs.test(name))
      .map((name) => join(folder, name)),
  );
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.map((file) => [file, riddlesIn(readFileSync(join(packageFolder, file), "utf8"))] as const);
  expect(found.filter(([, lines]) => lines.length > 0)).toEqual([]);
  expect(riddlesIn("/** Of all that nobody may read. */\n/** Masks known secrets. */")).toHaveLength(1);
});

/** Words that say that something happened to a thing, and not which thing it is. */
const hollow =
  /^\s*(?:export )?(?:type|interface|class) (?:Said|Asked|Wanted|Found|Told|Seen|Made|Held|Kept|Given|Taken|Known|Left|Heard|Shown|Tried|Met|Around)\b/gm;

test("a type is named by a noun for what it holds", () => {
  const files = ["cli", "runner", "bench", "test"].flatMap((folder) =>
    readdirSync(join(packageFolder, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
  const found = files.map((file) => [file, readFileSync(join(packageFolder, file), "utf8").match(hollow) ?? []]);
  expect(found.filter(([, names = []]) => names.length > 0)).toEqual([]);
  expect("interface Found {".match(hollow)).toHaveLength(1);
  expect("interface FoundLock {".match(hollow)).toBeNull();
});
