import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = "images/hands/resident";
const modules = new Map<string, string>(
  readdirSync(folder)
    .filter((name) => name.endsWith(".py"))
    .map((name) => [`resident.${name.slice(0, -3)}`, readFileSync(`${folder}/${name}`, "utf8")]),
);
type Graph = ReadonlyMap<string, readonly string[]>;

/** Every module with its imports, those for types and those inside functions too. */
function graphOf(sources: ReadonlyMap<string, string>): Graph {
  const imported = /^ *(?:from ([\w.]+) import|import ([\w.]+))/gm;
  return new Map([...sources].map(([name, source]) => [name, [...source.matchAll(imported)].map((at) => named(at))]));
}

function named([, from, plain]: RegExpMatchArray): string {
  return from ?? plain ?? "";
}

/** Modules that come back to themselves. */
function inCircles(graph: Graph): string[] {
  const reached = (name: string) => {
    const seen = new Set<string>();
    const todo = [...(graph.get(name) ?? [])];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      todo.push(...(graph.get(at) ?? []));
    }
    return seen;
  };
  return [...graph.keys()].filter((name) => reached(name).has(name));
}

/** Modules that are loaded before the resident says its first word. */
function loadedAtStart(sources: ReadonlyMap<string, string>): string[] {
  const atOnce = new Map([...sources].map(([name, source]) => [name, source.replace(/^ .*$/gm, "")]));
  const graph = graphOf(atOnce);
  const found = new Set(["resident.__main__"]);
  for (const name of found) for (const one of graph.get(name) ?? []) found.add(one);
  return [...found];
}

test("the resident's modules import each other in no circle", () => {
  expect(inCircles(graphOf(modules))).toEqual([]);
  const ring = new Map([
    ["resident.a", "from resident.b import x\n"],
    ["resident.b", "def f():\n    from resident.a import y\n"],
  ]);
  expect(inCircles(graphOf(ring))).toEqual(["resident.a", "resident.b"]);
});

test("the resident needs Python's library alone", () => {
  const others = new Set([...graphOf(modules).values()].flat().filter((name) => !modules.has(name)));
  const library = "__future__ array collections collections.abc ctypes errno fcntl fnmatch json os re resource select";
  const more = "signal socket stat struct sys time traceback typing";
  expect([...others].sort()).toEqual([...library.split(" "), ...more.split(" ")]);
});

test("everything that a sweep needs is loaded before the resident's first word, and nothing that few roles need", () => {
  const loaded = loadedAtStart(modules);
  for (const name of ["sweep", "processes", "loop", "paths"]) expect(loaded).toContain(`resident.${name}`);
  for (const name of ["socket", "array", "fnmatch", "typing"]) expect(loaded).not.toContain(name);
});

test("no module of the resident has more than 220 lines", () => {
  expect(modules.size).toBeGreaterThan(12);
  expect([...modules].filter(([, source]) => source.split("\n").length > 221).map(([name]) => name)).toEqual([]);
});
