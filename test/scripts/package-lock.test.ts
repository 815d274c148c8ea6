import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";

interface Locked {
  readonly version: string;
  readonly optional?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(join(packageFolder, "package-lock.json"), "utf8");
const packages: Readonly<Record<string, Locked>> = JSON.parse(text).packages;

test("the lock holds every optional package of every platform, without which npm ci refuses it", () => {
  const wanted = Object.values(packages).flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}));
  const held = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
  expect(wanted.filter((name) => !held.has(name))).toEqual([]);
  expect(wanted.length).toBeGreaterThan(20);
});

test("the lock names no host to fetch from, and has the hash of every package that is not optional", () => {
  expect(text).not.toContain('"resolved"');
  const unhashed = Object.entries(packages).filter(([path, locked]) => path && !locked.optional && !locked.integrity);
  expect(unhashed.map(([path]) => path)).toEqual([]);
});
