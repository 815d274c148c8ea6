import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Sources = ReadonlyMap<string, string>;
type Graph = ReadonlyMap<string, readonly string[]>;

const home = "images/hands";
const packages = ["resident", "check", "environment", "oneshot"];
const all: Sources = new Map(packages.flatMap((name) => [...modulesOf(name)]));

/** The modules of a package by dotted name; a package has the name of its folder. */
function modulesOf(name: string): Sources {
  const files = readdirSync(`${home}/${name}`, { recursive: true, encoding: "utf8" }).filter((at) =>
    at.endsWith(".py"),
  );
  const dotted = (file: string) => `${name}/${file.slice(0, -3)}`.replaceAll("/", ".").replace(/\.__init__$/, "");
  return new Map(files.map((file) => [dotted(file), readFileSync(`${home}/${name}/${file}`, "utf8")]));
}

/** Every module with its imports, those for types and those inside functions too. */
function graphOf(sources: Sources): Graph {
  const imported = /^ *(?:from ([\w.]+) import (?:\(([^)]*)\)|(.*))|import ([\w.]+))/gm;
  const targets = ([, from = "", several = "", names = several, plain = ""]: RegExpMatchArray) =>
    plain ? [plain] : names.split(",").map((name) => part(from, name.trim().split(" ")[0] ?? ""));
  const part = (from: string, name: string) => (sources.has(`${from}.${name}`) ? `${from}.${name}` : from);
  return new Map(
    [...sources].map(([name, source]) => [name, [...new Set([...source.matchAll(imported)].flatMap(targets))]]),
  );
}

function reachedFrom(start: string, graph: Graph): Set<string> {
  const seen = new Set<string>();
  const todo = [...(graph.get(start) ?? [])];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    todo.push(...(graph.get(at) ?? []));
  }
  return seen;
}

/** Modules that come back to themselves. */
function inCircles(graph: Graph): string[] {
  return [...graph.keys()].filter((name) => reachedFrom(name, graph).has(name));
}

/** Pairs of folders of which each imports the other. A program's `__main__` is above all folders. */
function mutualFolders(graph: Graph): string[] {
  const isPackage = (name: string) => [...graph.keys()].some((other) => other.startsWith(`${name}.`));
  const folder = (name: string) =>
    isPackage(name) || name.endsWith(".__main__") ? name : name.slice(0, name.lastIndexOf("."));
  const arrows = new Set(
    [...graph].flatMap(([name, imports]) =>
      imports.filter((target) => graph.has(target)).map((target) => `${folder(name)} → ${folder(target)}`),
    ),
  );
  return [...arrows].filter((arrow) => {
    const [from, to] = arrow.split(" → ");
    return from !== to && arrows.has(`${to} → ${from}`);
  });
}

/** The sources without the imports that only a type checker sees. */
function atRunTime(sources: Sources): Sources {
  return new Map(
    [...sources].map(([name, source]) => [name, source.replace(/^if TYPE_CHECKING:\n(?:(?: .*)?\n)+/gm, "")]),
  );
}

/** Modules that are loaded as soon as `start` is. */
function loadedWith(start: string, sources: Sources): Set<string> {
  const atOnce = new Map([...sources].map(([name, source]) => [name, source.replace(/^ .*$/gm, "")]));
  return reachedFrom(start, graphOf(atOnce));
}

/** Modules with an import inside a function, which runs later. */
function importingLater(sources: Sources): string[] {
  return [...atRunTime(sources)]
    .filter(([, source]) => /^ +(?:from [\w.]+ import |import \w)/m.test(source))
    .map(([name]) => name);
}

function longer(sources: Sources): string[] {
  return [...sources].filter(([, source]) => source.split("\n").length > 221).map(([name]) => name);
}

test("the modules of the programs import each other in no circle", () => {
  expect(inCircles(graphOf(all))).toEqual([]);
  const ring = new Map([
    ["resident.a", "from resident.b import x\n"],
    ["resident.b", "def f():\n    from resident import a\n"],
  ]);
  expect(inCircles(graphOf(ring))).toEqual(["resident.a", "resident.b"]);
});

test("no two folders of the programs import each other", () => {
  expect(mutualFolders(graphOf(all))).toEqual([]);
  const both = new Map([
    ["check.run.a", "from check.judge.b import (\n    x,\n    y,\n)\n"],
    ["check.judge.b", ""],
    ["check.judge.c", "if TYPE_CHECKING:\n    from check.run import a\n"],
  ]);
  expect(mutualFolders(graphOf(both))).toEqual(["check.run → check.judge", "check.judge → check.run"]);
});

test("no module of the programs has more than 220 lines", () => {
  expect(all.size).toBeGreaterThan(120);
  expect(longer(all)).toEqual([]);
  expect(longer(new Map([["check.a", "x = 1\n".repeat(221)]]))).toEqual(["check.a"]);
});

test("the resident needs only Python's own library", () => {
  const graph = graphOf(modulesOf("resident"));
  const others = new Set([...graph.values()].flat().filter((name) => !graph.has(name)));
  const library = "__future__ array collections collections.abc ctypes errno fcntl fnmatch json os re resource select";
  const more = "signal socket stat struct sys time traceback typing";
  expect([...others].sort()).toEqual([...library.split(" "), ...more.split(" ")]);
});

test("all that a sweep needs is loaded before the resident's first word, and nothing that few roles need", () => {
  const loaded = loadedWith("resident.__main__", all);
  for (const name of ["sweep", "processes", "loop", "paths"]) expect(loaded).toContain(`resident.${name}`);
  for (const name of ["socket", "array", "fnmatch", "typing"]) expect(loaded).not.toContain(name);
});

test("all of the check is loaded before any tree is there, and nothing of it later", () => {
  const modules = modulesOf("check");
  expect(importingLater(modules)).toEqual(["check.__main__"]);
  const loaded = loadedWith("check.zygote", modules);
  const parts = [...modules].filter(([, source]) => source !== "").map(([name]) => name);
  expect(parts.filter((name) => !loaded.has(name)).toSorted()).toEqual([
    "check.__main__",
    "check.wire.shapes",
    "check.zygote",
  ]);
  const late = "def f():\n    import json\n\n\nif TYPE_CHECKING:\n    from typing import Any\n";
  expect(importingLater(new Map([["check.a", late]]))).toEqual(["check.a"]);
  expect(importingLater(new Map([["check.a", late.slice(late.indexOf("if "))]]))).toEqual([]);
});

test("the types of what goes over the wire are loaded by no program", () => {
  const described = /(?:^|\.)wire(?:\.|$)/;
  const loading = (sources: Sources) =>
    [...graphOf(atRunTime(sources))].flatMap(([name, targets]) =>
      targets.some((at) => described.test(at)) ? name : [],
    );
  expect([...all.keys()].filter((name) => described.test(name))).toContain("resident.wire");
  expect(loading(all)).toEqual([]);
  expect(loading(new Map([["check.a", "from check.wire.shapes import Canary\n"]]))).toEqual(["check.a"]);
});

test("verifying an environment loads nothing but the library and what hashes it", () => {
  const loaded = [...loadedWith("environment.making.manifest", all)];
  expect(loaded).toContain("environment.places");
  expect(loaded.filter((name) => /^packaging|^importlib/.test(name))).toEqual([]);
  expect([...loadedWith("environment.making.build", all)]).toContain("packaging.requirements");
});
