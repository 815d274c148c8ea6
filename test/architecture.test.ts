import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../runner/base/package-folder.js";

const statement = /^\s*(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+\s+from\s+)?["']([^"']+)["']/gm;
const dynamic = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Counts imports of types too: compilation removes a circle of types, but a reader still meets it. */
function importsOf(source: string): string[] {
  return [...source.matchAll(statement), ...source.matchAll(dynamic)].map(([, target = ""]) => target);
}

type Graph = ReadonlyMap<string, readonly string[]>;

/** Every source file with its imports; relative targets are given as paths in the repository. */
function graphOf(sources: ReadonlyMap<string, string>): Graph {
  const resolved = (file: string, target: string) =>
    target.startsWith(".") ? normalize(join(dirname(file), target)).replace(/\.js$/, ".ts") : target;
  return new Map(
    [...sources].map(([file, source]) => [file, importsOf(source).map((target) => resolved(file, target))]),
  );
}

const files = ["cli", "runner"].flatMap((folder) =>
  readdirSync(join(packageFolder, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
    .sort(),
);
const sources = new Map(files.map((file) => [file, readFileSync(join(packageFolder, file), "utf8")] as const));
const graph = graphOf(sources);

const homes: Readonly<Record<string, RegExp>> = {
  dockerode: /^runner\/hands\/docker\//,
  "tar-stream": /^runner\/hands\/docker\//,
  "simple-git": /^runner\/source\//,
  pino: /^runner\/base\//,
  commander: /^cli\//,
  picocolors: /^cli\//,
  "@clack/core": /^cli\/frontend\//,
  "@clack/prompts": /^cli\/frontend\//,
};
const ports = /^runner\/hands\/ports\/|^runner\/model\/port\//;
const adapters = /^runner\/(hands|model)\/|^node:child_process$/;

function strayPackages(given: Graph): string[] {
  return [...given].flatMap(([file, imports]) =>
    imports
      .map((target) =>
        target
          .split("/")
          .slice(0, target.startsWith("@") ? 2 : 1)
          .join("/"),
      )
      .filter((name) => homes[name] && !homes[name].test(file))
      .map((name) => `${file} imports ${name}`),
  );
}

function circles(given: Graph): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (done.has(file) || path.includes(file)) return;
    for (const target of given.get(file) ?? []) if (given.has(target)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of given.keys()) visit(file, []);
  return found;
}

function mentions(pattern: RegExp, except: string, given: ReadonlyMap<string, string> = sources): string[] {
  return [...given].filter(([file, source]) => file !== except && pattern.test(source)).map(([file]) => file);
}

function importing(from: RegExp, target: (path: string) => boolean, given = graph): string[] {
  return [...given].flatMap(([file, imports]) =>
    imports.filter((one) => from.test(file) && target(one)).map((one) => `${file} imports ${one}`),
  );
}

test("each third-party package is imported in one folder only", () => {
  expect(strayPackages(graph)).toEqual([]);
  expect(strayPackages(graphOf(new Map([["runner/loop/a.ts", 'import Docker from "dockerode";']])))).toHaveLength(1);
});

test("code that draws on a terminal is loaded only when somebody is asked", () => {
  const atOnce = /^import (?!type)[^;]*"\.+\/frontend\/(terminal|ask|frame)\.js"/m;
  expect(mentions(atOnce, "")).toEqual([]);
  expect(mentions(atOnce, "", new Map([["cli/x.ts", 'import { ask } from "./frontend/ask.js";']]))).toEqual([
    "cli/x.ts",
  ]);
});

/** Clocks that go on while this process is stopped. */
const sleepless = /\bperformance\.now\(|\bAbortSignal\.timeout\(|\bsetTimeout\((?!idleMs\))|\bDate\.now\(/;
/** the models' own server, an index that is as young as the files it remembers, and the one clock itself */
const notWaiting = ["runner/demo/scripted-model.ts", "runner/hands/roles/clerk/snapshot.ts", "runner/base/awake.ts"];

test("time-outs of the runner use the one clock that stops while the process is stopped", () => {
  const runner = new Map([...sources].filter(([file]) => file.startsWith("runner/") && !notWaiting.includes(file)));
  expect(mentions(sleepless, "", runner)).toEqual([]);
  const naive = new Map([["runner/x.ts", "const late = AbortSignal.timeout(1_000);"]]);
  expect(mentions(sleepless, "", naive)).toEqual(["runner/x.ts"]);
});

test("nothing imports in a circle", () => {
  expect(circles(graph)).toEqual([]);
  const ring = new Map([
    ["a/one.ts", 'import { two } from "./two.js";'],
    ["a/two.ts", 'import type { One } from "./one.js";'],
  ]);
  expect(circles(graphOf(ring))).toEqual(["a/one.ts → a/two.ts → a/one.ts"]);
});

test("one file reads the environment, and one ends the process", () => {
  expect(mentions(/\bprocess\.env\b/, "cli/settings/settings.ts")).toEqual([]);
  expect(mentions(/\bprocess\.exit\b/, "cli/main.ts")).toEqual([]);
  expect(mentions(/\bprocess\.env\b/, "", new Map([["x.ts", "process.env.HOME"]]))).toEqual(["x.ts"]);
});

test("the loops, the interview, the dialogue and the tools know ports, never an engine, a provider or a child process", () => {
  const layers = /^runner\/(loop|interview|dialogue|tools|memory|checks)\//;
  const adapter = (path: string) => adapters.test(path) && !ports.test(path);
  expect(importing(layers, adapter)).toEqual([]);
  const naive = graphOf(new Map([["runner/loop/a.ts", 'import { Engine } from "../hands/engine.js";']]));
  expect(importing(layers, adapter, naive)).toHaveLength(1);
});

test("the runner knows nothing of the command line, and no folder in it imports the composition root", () => {
  expect(importing(/^runner\//, (path) => path.startsWith("cli/"))).toEqual([]);
  expect(importing(/^runner\/[^/]+\//, (path) => path === "runner/index.ts")).toEqual([]);
});

/** Which room may import which, the lowest first. `index` is runner/index.ts; every other room is a folder of runner/, or cli/. */
const rooms: Readonly<Record<string, string>> = {
  base: "",
  text: "",
  crew: "",
  disk: "base",
  egress: "base text",
  settings: "base text egress",
  hands: "base text disk settings checks",
  source: "base text disk hands loop",
  session: "base text disk settings hands source",
  model: "base text settings session",
  tools: "base text hands session model",
  checks: "base text hands session environment",
  seed: "base text disk hands source session checks",
  dialogue: "base text settings hands session model tools",
  memory: "base text hands session dialogue",
  interview: "base text hands session model tools dialogue memory",
  environment: "base text disk egress settings hands session memory loop",
  loop: "base text settings hands session model tools checks dialogue memory environment",
  reconcile: "base source session dialogue loop",
  demo: "base settings source",
  export: "base text session",
  app: "base text disk egress settings hands source session model tools checks seed dialogue memory interview environment loop reconcile",
  index: "session export app",
  cli: "base text disk egress settings source session model tools interview demo app index",
};

function roomOf(file: string): string {
  if (file === "runner/index.ts") return "index";
  return (file.startsWith("runner/") ? file.split("/")[1] : file.split("/")[0]) ?? file;
}

/** From which room into which there are imports. */
function doorsIn(given: Graph): Map<string, Set<string>> {
  const doors = new Map<string, Set<string>>();
  for (const [file, imports] of given) {
    const open = doors.get(roomOf(file)) ?? new Set();
    doors.set(roomOf(file), open);
    for (const target of imports) if (given.has(target) && roomOf(target) !== roomOf(file)) open.add(roomOf(target));
  }
  return doors;
}

/** Pairs of folders that import each other. */
function mutualFolders(given: Graph): string[] {
  const doors = [...given].flatMap(([file, imports]) =>
    imports.filter((target) => given.has(target)).map((target) => `${dirname(file)} ↔ ${dirname(target)}`),
  );
  const open = new Set(doors);
  const [one, other] = [(door: string) => door.split(" ↔ ")[0] ?? "", (door: string) => door.split(" ↔ ")[1] ?? ""];
  return [...open].filter((door) => one(door) < other(door) && open.has(`${other(door)} ↔ ${one(door)}`)).sort();
}

test("a room is imported only from where the table says", () => {
  const doors = [...doorsIn(graph)].map(([room, open]) => [room, [...open].sort().join(" ")]);
  const allowed = Object.entries(rooms).map(([room, open]) => [room, open.split(" ").sort().join(" ")]);
  expect(Object.fromEntries(doors)).toEqual(Object.fromEntries(allowed));
});

test("no two folders import each other", () => {
  expect(mutualFolders(graph)).toEqual([]);
  const naive = new Map([
    ["runner/a/one.ts", 'import { two } from "../b/two.js";'],
    ["runner/a/three.ts", ""],
    ["runner/b/two.ts", 'import { three } from "../a/three.js";'],
  ]);
  expect(mutualFolders(graphOf(naive))).toEqual(["runner/a ↔ runner/b"]);
});

test("only the folder of the engine knows an engine, and one file chooses it", () => {
  const above = /^(?!runner\/hands\/docker\/)/;
  const engine = (path: string) => path.startsWith("runner/hands/docker/");
  const choosing = importing(above, engine).filter((line) => !line.startsWith("runner/hands/provider.ts "));
  expect(choosing).toEqual([]);
  const naive = graphOf(new Map([["runner/app/a.ts", 'import { Engine } from "../hands/docker/engine/engine.js";']]));
  expect(importing(above, engine, naive)).toHaveLength(1);
});

/** Files that name an engine for people or for other programs, and know nothing of it. */
const namesOfEngines = [
  // variables that only a provider reads
  "cli/settings/host-environment.ts",
  // the help of the command line says what the usual provider is
  "cli/program.ts",
  "cli/verbs/machine.ts",
  // a field of the files in a home, as every tilth has written it
  "runner/environment/environment-store.ts",
  // the one file that chooses
  "runner/hands/provider.ts",
  // names of files that hold passwords
  "runner/interview/secrets.ts",
];
const engineWords = /docker|engine|podman|volume/i;

test("nothing outside the folder of the engine names one, neither in code nor to a person or a model", () => {
  const prompts = readdirSync(join(packageFolder, "prompts")).map(
    (name) => [`prompts/${name}`, readFileSync(join(packageFolder, "prompts", name), "utf8")] as const,
  );
  const outside = [...sources, ...prompts].filter(([file]) => !file.startsWith("runner/hands/docker/"));
  expect(mentions(engineWords, "", new Map(outside)).sort()).toEqual(namesOfEngines.toSorted());
  expect(mentions(engineWords, "", new Map([["runner/app/a.ts", "readonly volume: string;"]]))).toHaveLength(1);
});

test("every file of the runner except its index stands in a room", () => {
  expect(files.filter((file) => /^runner\/[^/]+$/.test(file))).toEqual(["runner/index.ts"]);
});

test("every import of our own files leads to a file that exists", () => {
  expect(importing(/./, (path) => /^(cli|runner)\//.test(path) && !graph.has(path))).toEqual([]);
});

test("a child process is started only in the places listed here", () => {
  const starts = importing(/./, (path) => path === "node:child_process").map((line) => line.split(" ")[0]);
  const allowed = /^runner\/(source\/|hands\/docker\/image\/image-bootstrap\.ts$|doctor)/;
  expect(starts.filter((file) => !allowed.test(file ?? ""))).toEqual([]);
});

test("the page's script stands alone, and never makes markup from text", () => {
  const ours =
    /^cli\/page\/browser\/|^runner\/text\/sanitise\.ts$|^runner\/tools\/tool\/look\.ts$|^runner\/session\/summary\/(usage|uncounted-waits)\.ts$|^cli\/output\/token-parts\.ts$/;
  const foreign = (path: string) => !ours.test(path);
  expect(importing(/^cli\/page\/browser\//, foreign)).toEqual([]);
  const markup =
    /\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|srcdoc|eval)\b|document\.write/;
  const ofPage = new Map([...sources].filter(([file]) => file.startsWith("cli/page/browser/")));
  expect([ofPage.size > 20, mentions(markup, "", ofPage)]).toEqual([true, []]);
  expect(mentions(markup, "", new Map([["x.ts", "box.innerHTML = text"]]))).toEqual(["x.ts"]);
});

test("no program in the containers defines a name twice, where the second would silently replace the first", () => {
  const again = (text: string, name: RegExp) =>
    [...text.matchAll(name)].map(([, found = ""]) => found).filter((one, place, all) => all.indexOf(one) !== place);
  const twice = (source: string) => [
    ...again(source, /^(?:async )?(?:def|class) (\w+)/gm),
    ...source
      .split(/^(?=\S)/m)
      .flatMap((block) => (/^class /.test(block) ? again(block, /^ {4}(?:async )?def (\w+)/gm) : [])),
  ];
  const method = "    def collected(self):\n        pass\n";
  expect(twice(`class A:\n${method}\n${method}`)).toEqual(["collected"]);
  expect(twice(`class A:\n${method}\n\nclass B:\n${method}`)).toEqual([]);
  const programs = readdirSync("images/hands", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".py"),
  );
  expect(programs.length).toBeGreaterThan(50);
  const found = programs.map((name) => [name, twice(readFileSync(`images/hands/${name}`, "utf8"))] as const);
  expect(found.filter(([, names]) => names.length > 0)).toEqual([]);
});

test("a test that replaces a module is in a file that runs apart, where nothing has loaded the module yet", () => {
  const replaces = (name: string) =>
    /^\s*vi\.(?:mock|doMock)\(/m.test(readFileSync(join(packageFolder, "test", name), "utf8"));
  const names = readdirSync(join(packageFolder, "test"), { recursive: true, encoding: "utf8" });
  const together = names.filter((name) => name.endsWith(".test.ts") && !name.endsWith(".apart.test.ts"));
  expect(together.filter(replaces)).toEqual([]);
});

test("no file makes a language formatter when it is loaded, since every start of the command line would wait for it", () => {
  const made = /^(?:export )?const \w+ = new Intl\./m;
  const onHost = new Map([...sources].filter(([file]) => !file.startsWith("cli/page/browser/")));
  expect(mentions(made, "", onHost)).toEqual([]);
  expect(mentions(made, "", new Map([["x.ts", 'const format = new Intl.NumberFormat("en");\n']]))).toEqual(["x.ts"]);
});
