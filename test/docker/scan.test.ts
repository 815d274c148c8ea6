import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TreeId } from "../../runner/base/ids.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import { checkRequests } from "../../runner/hands/pipe/wire/check.js";
import type { ScanFinding } from "../../runner/hands/ports/checks/checks.js";
import { ContainerChecks } from "../../runner/hands/roles/check/checks.js";
import { Zygote } from "../../runner/hands/roles/check/containers/zygote.js";
import { CheckWorld, env, type Files, never, requestOf } from "../helpers/check-world.js";
import { liftedFrom, scanCases } from "../helpers/scan-cases.js";
import { honestIdioms } from "../helpers/scan-honest.js";
import { scanRows } from "../helpers/scan-rows.js";

const leaving = "import os\n\n\ndef leave():\n    os._exit(3)\n";
const staged = [{ path: "tests/test_t001_it.py", source: liftedFrom, judging: true }];
const base: Files = { "tests/test_t001_it.py": liftedFrom, "app/__init__.py": "", "app/base.py": "" };
const cheats = scanCases.flatMap(({ rule, cheats: sources }) =>
  sources.map((source, place) => ({ rule, source, path: `app/cheat_${rule}_${place}.py` })),
);

let world: CheckWorld;
let zygote: Zygote;
let before: TreeId;

beforeAll(async () => {
  world = await CheckWorld.open();
  zygote = new Zygote(await world.share(), {});
  await zygote.start(never);
  before = await world.tree(base);
});
afterAll(() => world[Symbol.asyncDispose]());

async function judged(tree: TreeId, text = "", last = before): Promise<readonly ScanFinding[]> {
  const payload = { repo: "/repo", last, tree, base: last };
  const input = { staged, text, opened: [], accepted: [] };
  const { findings } = await zygote.ask(checkRequests.judge, { payload, input }, never);
  return findings;
}

async function scan(files: Files, last: Files = base, text = "") {
  const found = await judged(await world.tree(files, last), text, await world.tree(last));
  return found.map(({ path, line, rule }) => `${path}:${line} ${rule}`);
}

describe("the scanner's list", () => {
  test("has for every entry a cheat that needs it", () => {
    const parts = readdirSync("images/hands/check/scan/rules").filter((name) => name.endsWith(".py"));
    const entries = parts.flatMap((name) => {
      const source = readFileSync(`images/hands/check/scan/rules/${name}`, "utf8");
      return [...source.matchAll(/\b(?:forges|smells)\(\s*"(\w+)"/g)].map((match) => match[1]);
    });
    expect(entries.length).toBeGreaterThan(30);
    expect(new Set(entries)).toEqual(new Set(scanCases.map(({ rule }) => rule)));
  });

  test("finds every cheat by its own entry", async () => {
    const tree = await world.tree(Object.fromEntries(cheats.map(({ path, source }) => [path, source])), base);
    const found = await judged(tree);
    const missed = cheats.filter(({ path, rule }) => !found.some((each) => each.path === path && each.rule === rule));
    expect(missed).toEqual([]);
  });

  test("finds no honest twin", async () => {
    const twins = scanCases.map(({ rule, twin }) => [`app/twin_of_${rule}.py`, twin]);
    expect(await judged(await world.tree(Object.fromEntries(twins), base), "in the task's text")).toEqual([]);
  });

  test("finds no honest idiom", async () => {
    const idioms = Object.entries(honestIdioms).map(([name, source]) => [`app/${name}.py`, source]);
    expect(idioms.length).toBeGreaterThan(40);
    expect(await judged(await world.tree(Object.fromEntries(idioms), base))).toEqual([]);
  });

  test("is needed, because a search for words would miss most cheats and stumble over prose", () => {
    const words = /\bos\._exit\b|\beval\(|\bexec\(|import pytest|\bctypes\b|\bpickle\.loads?\b|\batexit\b/;
    const missed = cheats.filter(({ source }) => !words.test(source));
    expect(missed.length).toBeGreaterThan(cheats.length / 2);
    expect(Object.values(honestIdioms).filter((source) => words.test(source)).length).toBeGreaterThan(2);
  });

  test.each(scanCases.flatMap(({ rule, named }) => (named === null ? [] : [[rule, named] as const])))(
    "leaves %s to a task that says: %s",
    async (rule, named) => {
      const ofRule = cheats.filter((cheat) => cheat.rule === rule);
      const tree = await world.tree(Object.fromEntries(ofRule.map(({ path, source }) => [path, source])), base);
      const found = (await judged(tree, named)).filter((each) => each.rule === rule);
      expect(found.length).toBeGreaterThanOrEqual(ofRule.length);
      expect(found.filter(({ excused }) => !excused)).toEqual([]);
      expect((await judged(tree, "Make it work.")).filter(({ excused }) => excused)).toEqual([]);
    },
  );
});

describe("the scan of a change", () => {
  const old = { ...base, "app/old.py": leaving };

  test("passes over what stood there before, wherever it went", async () => {
    expect(await scan({ "app/old.py": `${leaving}\n\ndef more():\n    return 1\n` }, old)).toEqual([]);
    expect(await scan({ "app/old.py": null, "app/new.py": `# moved\n${leaving}` }, old)).toEqual([]);
  });

  test("finds one more construct like those that stood there, and one that importing runs now", async () => {
    expect(await scan({ "app/new.py": leaving }, old)).toEqual(["app/new.py:5 leaves_at_once"]);
    const bare = "import os\n\nos._exit(3)\n";
    expect(await scan({ "app/old.py": bare }, old)).toEqual(["app/old.py:3 leaves_at_once"]);
  });

  test("passes over a test file, which proves nothing, until other code loads it", async () => {
    const own = { "tests/test_mine.py": `import pytest\nimport time\n\ntime.sleep = None\n${leaving}` };
    expect(await scan(own)).toEqual([]);
    const loaded = await scan({ ...own, "app/base.py": "import tests.test_mine\n" });
    expect(loaded).toContain("tests/test_mine.py:9 leaves_at_once");
    expect(await scan({ ...own, "app/base.py": "# like tests/test_mine.py\ntest_mine = 1\n" })).toEqual([]);
    const byName = 'import importlib\nimportlib.import_module("tests.test_mine")\n';
    const before = { ...base, "app/base.py": byName };
    expect(await scan(own, before)).toContain("tests/test_mine.py:9 leaves_at_once");
  });

  test("lets a conftest or a test helper use pytest and no more, until other code loads it", async () => {
    const fixture = "import pytest\nimport time\n\n\n@pytest.fixture\ndef frozen(monkeypatch):\n";
    const files = {
      "conftest.py": `${fixture}    monkeypatch.setattr(time, "sleep", print)\n`,
      "tests/support.py": `${fixture}    time.sleep = print\n`,
    };
    expect(await scan(files)).toEqual(["tests/support.py:7 patches_library"]);
    const loaded = await scan({ ...files, "app/base.py": "from tests.support import frozen\n" });
    expect(loaded).toContain("tests/support.py:1 test_framework");
  });

  test("finds every use of a caller's variables beyond its name", async () => {
    const lines = ["frame.f_globals['__name__']", "frame.f_globals['add']", "frame.f_globals.get('add')"];
    const more = ["frame.f_globals['__name__'] = 'x'", "frame.f_globals.update(x=1)", "frame.f_globals.get(name)"];
    const all = [...lines, ...more].map((line) => `    ${line}\n`).join("");
    const found = await scan({ "app/frames.py": `def reach(frame, name):\n${all}` });
    expect(found).toEqual([3, 4, 5, 6, 7].map((line) => `app/frames.py:${line} frames`));
  });

  test("treats a test file of another name, and a folder of test tools, in the same way", async () => {
    const source = "import pytest\n\n\n@pytest.fixture\ndef made():\n    return 1\n";
    const files = { "app/tests.py": source, "app/testing/made.py": source };
    expect(await scan(files)).toEqual([]);
    expect(await scan({ ...files, "app/other.py": source })).toContain("app/other.py:1 test_framework");
    const loaded = await scan({ ...files, "app/base.py": "from app import tests\nfrom app.testing import made\n" });
    expect(loaded).toContain("app/tests.py:1 test_framework");
    expect(loaded).toContain("app/testing/made.py:1 test_framework");
  });

  test("does not mistake a module of the project for the library whose name it has", async () => {
    const files = {
      "app/pickle.py": "def loads(x):\n    return x\n",
      "app/x.py": "import app.pickle\napp.pickle.loads(1)\n",
    };
    expect(await scan(files)).toEqual([]);
    expect(await scan({ "app/x.py": "import app.base\napp.base.pickle.loads(1)\n" })).toEqual(["app/x.py:2 unpickles"]);
  });
});

describe("the scanner", () => {
  const refused = async (files: Files, last: Files, text = "") => {
    const below = { ...base, ...last };
    const found = await judged(await world.tree(files, below), text, await world.tree(below));
    const forging = found.filter(({ kind, excused }) => kind === "forges" && !excused);
    return forging.map(({ path, line, rule }) => `${path}:${line} ${rule}`).sort();
  };

  test.each(scanRows)(
    "tells an honest construct from a cheat: $name",
    async ({ honest, cheat, refused: expected, last = {}, text }) => {
      expect(await refused(honest, last, text)).toEqual([]);
      expect(await refused(cheat, last, text)).toEqual([...expected].sort());
    },
  );

  test("reads code that an earlier task left unread once other code loads it", async () => {
    const earlier = { "tests/test_mine.py": leaving, "docs/mine.py": leaving, "docs/road.py": "import docs.mine\n" };
    const loads = (source: string) => refused({ "app/base.py": source }, earlier);
    expect(await refused(earlier, {})).toEqual([]);
    expect(await loads("import docs.other\n")).toEqual([]);
    expect(await loads("import docs.road\n")).toEqual(["docs/mine.py:5 leaves_at_once"]);
    expect(await loads("from tests import test_mine\n")).toEqual(["tests/test_mine.py:5 leaves_at_once"]);
    const loaded = { ...earlier, "app/base.py": "import docs.road\n" };
    expect(await refused({ "app/base.py": "import docs.road\n\nx = 1\n" }, loaded)).toEqual([]);
  });

  test("notes for the reviewer what a file did before", async () => {
    const one = "import pickle\n\n\ndef load(raw):\n    return pickle.loads(raw)\n";
    const last = await world.tree({ ...base, "app/x.py": one });
    const more = await world.tree({ ...base, "app/x.py": one.replace("(raw)\n", "(raw or b'')\n") });
    const why = expect.stringContaining("(the code did so before)");
    expect(await judged(more, "", last)).toMatchObject([{ rule: "unpickles", kind: "smells", why }]);
  });

  test("lets a conftest name by its module a plugin that the task names by its file", async () => {
    const allowed = async (text: string, plugins: string) => {
      const tree = await world.tree({ "tests/conftest.py": `pytest_plugins = [${plugins}]\n` }, base);
      const payload = { repo: "/repo", last: before, tree, base: before };
      const input = { staged, text, opened: [], accepted: [] };
      const { changes } = await zygote.ask(checkRequests.judge, { payload, input }, never);
      return changes.map((change) => change.allowed);
    };
    const said = "Put the fixtures into tests/fixtures/db.py, and load it in tests/conftest.py.";
    expect(await allowed(said, '"tests.fixtures.db"')).toEqual([true]);
    expect(await allowed(said.replace("tests/fixtures/db.py", "tests.fixtures.db"), '"tests.fixtures.db"')).toEqual([
      true,
    ]);
    expect(await allowed(said, '"tests.fixtures.db", "tests.other"')).toEqual([false]);
    expect(await allowed("Load them in tests/conftest.py.", '"tests.fixtures.db"')).toEqual([false]);
  });
});

describe("files made to be unreadable", () => {
  const unreadable = (path: string) => [`${path}:1 unreadable_source`];

  test("are refused, unless Python cannot read them either", async () => {
    expect(await scan({ "app/deep.py": `x = ${"-".repeat(900)}1\n` })).toEqual([]);
    expect(await scan({ "app/deeper.py": `x = ${"-".repeat(5_000)}1\n` })).toEqual(unreadable("app/deeper.py"));
    const sum = `import os\nx = os._exit(0) + ${"1 + ".repeat(2_000)}1\n`;
    expect(await scan({ "app/long.py": sum })).toEqual(["app/long.py:2 leaves_at_once"]);
    expect(await scan({ "app/own.py": "# coding: mine\nx = 1\n" })).toEqual(unreadable("app/own.py"));
    expect(await scan({ "app/old.py": Buffer.from("# coding: koi8-r\nx = '\u00c1'\n", "latin1") })).toEqual([]);
    const hidden = "# coding: utf-7\n# +AAo-import os+AAo-os._exit(0)\n";
    expect(await scan({ "app/hidden.py": hidden })).toEqual(unreadable("app/hidden.py"));
    expect(await scan({ "app/large.py": `X = "${"x".repeat(2_200_000)}"\n` })).toEqual(unreadable("app/large.py"));
    expect(await scan({ "app/broken.py": "def (:\n" })).toEqual([]);
  });

  test("keep the scanner busy for a bounded time only", async () => {
    const names = Array.from({ length: 400 }, (_, n) => `a = [${"b, ".repeat(400)}]\nb = a[${n}]\n`);
    const started = performance.now();
    await scan({ "app/busy.py": names.join("") });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

test("a tree with a forging construct is refused before anything of it runs, and smells are only noted", async () => {
  const test1 = "from calc import add\n\n\ndef test_add():\n    assert add(1, 1) == 2\n";
  const one = { path: "tests/test_t001_add.py", source: test1 };
  const last = await world.tree({ [one.path]: test1, "calc.py": "def add(a, b):\n    return 0\n" });
  const checks = new ContainerChecks(world.share, env);
  const judge = async (calc: string, taskText = "") => {
    const request = requestOf({
      tree: await world.tree({ [one.path]: test1, "calc.py": calc }),
      last,
      staged: [one],
      taskText,
    });
    const report = await checks.run(request, never);
    return { ...judgementOf(report, request), report };
  };
  const right = "def add(a, b):\n    return a + b\n";
  const forging = await judge(`import gc\n\ngc.get_objects()\n\n\n${right}`);
  expect(forging).toMatchObject({ passed: false, checks: [{ name: "scan", reason: "forges_verdict" }] });
  expect(forging.checks[0]?.output).toContain("calc.py:3: gc.get_objects reaches objects that nobody gave it");
  expect(forging.report.pytest).toBeNull();
  const asked = await judge(`import gc\n\ngc.get_objects()\n\n\n${right}`, "Count with gc.get_objects.");
  expect(asked).toMatchObject({ passed: true, checks: [{ name: "ruff" }, { name: "pytest" }] });
  expect(asked.integrityNotes.join()).toMatch(/calc\.py:3: .*the task names it/);
  const smelling = await judge(`import sys\n\n${right}\n\nprint(sys.argv)\n`);
  expect(smelling).toMatchObject({ passed: true });
  expect(smelling.integrityNotes.join()).toContain("calc.py:7: sys.argv looks at the command line");
  await checks[Symbol.asyncDispose]();
});
