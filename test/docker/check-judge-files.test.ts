import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TreeId } from "../../runner/base/ids.js";
import { checkRequests } from "../../runner/hands/pipe/wire/check.js";
import { Zygote } from "../../runner/hands/roles/check/containers/zygote.js";
import { CheckWorld, type Files, link, never } from "../helpers/check-world.js";

const test1 =
  "from helpers import same\nfrom tests.deep import data\nimport app\n\n\ndef test_it():\n    same(app.sum('data/expected.csv', 'out.csv'), data)\n";
const base: Files = {
  "tests/test_t001_it.py": test1,
  "tests/helpers.py": "import inner\n\n\ndef same(left, right):\n    assert left == right == inner\n",
  "tests/inner.py": "x = 1\n",
  "tests/deep/data.py": "from . import more\n",
  "tests/free.py": "x = 1\n",
  "tests/unit/conftest.py": 'pytest_plugins = ["app.plugin"]\n',
  "app/__init__.py": "",
  "app/plugin.py": "import tests.fixtures\n",
  "app/core.py": "x = 1\n",
  "pyproject.toml":
    '[project]\nname = "app"\n\n[tool.ruff.lint]\nselect = ["E"]\n\n[tool.pytest.ini_options]\naddopts = "-p early"\n',
  "setup.cfg": "[metadata]\nname = app\n\n[tool:pytest]\naddopts = -q\n",
  "tox.ini": "[tox]\nenvlist = py\n",
  "ruff.toml": 'extend = "config/style.toml"\n',
  "config/style.toml": 'extend = "shared.toml"\n',
  "docs/conftest.py": "from app.hooks import *\n",
  "app/hooks.py": "x = 1\n",
  "config/shared.toml": "line-length = 90\n",
  "tests/data/golden.json": "{}\n",
  "tests/data/expected.csv": "1\n",
};

const latin = (text: string) => Buffer.from(text, "latin1");

let world: CheckWorld;
let zygote: Zygote;
let last: TreeId;

beforeAll(async () => {
  world = await CheckWorld.open();
  zygote = new Zygote(await world.share(), {});
  await zygote.start(never);
  last = await world.tree(base);
});
afterAll(() => world[Symbol.asyncDispose]());

async function judge(files: Files, text = "") {
  const payload = { repo: "/repo", last, tree: await world.tree(files, base), base: last };
  const opened = ["tests/data/golden.json", "tests/data/extra.json", "tests/test_t001_it.py"];
  const input = {
    staged: [{ path: "tests/test_t001_it.py", source: test1, judging: true }],
    text,
    opened,
    accepted: [],
  };
  const { changes } = await zygote.ask(checkRequests.judge, { payload, input }, never);
  return changes.map(({ path, table, what, allowed }) => [table ? `${path} [${table}]` : path, what, allowed]);
}

/** The refusals of a change to a tree of its own. */
async function judgedFrom(
  before: Files,
  change: Files,
  more: { text?: string; since?: { base: Files; accepted: readonly string[] } } = {},
) {
  const trees = { last: await world.tree(before), tree: await world.tree(change, before) };
  const since = more.since ? await world.tree(more.since.base) : trees.last;
  const input = {
    staged: [{ path: "tests/test_t001_it.py", source: test1, judging: true }],
    text: more.text ?? "",
    opened: ["tests/data/golden.json"],
    accepted: more.since?.accepted ?? [],
  };
  const payload = { repo: "/repo", ...trees, base: since };
  const { changes } = await zygote.ask(checkRequests.judge, { payload, input }, never);
  return changes.filter(({ allowed }) => !allowed).map(({ path, what }) => `${path} ${what}`);
}

const protectedOnes: readonly (readonly [Files, string, string])[] = [
  [{ "tests/helpers.py": "def same(*_): pass\n" }, "tests/helpers.py", "changed"],
  [{ "tests/inner.py": null }, "tests/inner.py", "deleted"],
  [{ "tests/helpers/__init__.py": "" }, "tests/helpers/__init__.py", "added"],
  [{ "tests/deep/__init__.py": "" }, "tests/deep/__init__.py", "added"],
  [{ "tests/deep/more.py": "" }, "tests/deep/more.py", "added"],
  [{ "tests/app.py": "" }, "tests/app.py", "added"],
  [{ "tests/fixtures.py": "" }, "tests/fixtures.py", "added"],
  [{ "tests.py": "__path__ = ['/workspace/other']\n" }, "tests.py", "shadows"],
  [{ "tests/__init__.py": "x = 1\n" }, "tests/__init__.py", "added"],
  [{ "app/plugin.py": "" }, "app/plugin.py", "changed"],
  [{ "early.py": "" }, "early.py", "added"],
  [{ "docs/conftest.py": "x = 2\n" }, "docs/conftest.py", "changed"],
  [{ "tests/unit/pytest.toml": "" }, "tests/unit/pytest.toml", "added"],
  [{ "tests/unit/.pytest.ini": "" }, "tests/unit/.pytest.ini", "added"],
  [{ "app/.ruff.toml": "" }, "app/.ruff.toml", "added"],
  [{ "config/style.toml": "" }, "config/style.toml", "changed"],
  [{ "setup.cfg": "[metadata]\nname = app\n" }, "setup.cfg [tool:pytest]", "deleted"],
  [{ "tox.ini": "[tox]\n[pytest]\naddopts = -q\n" }, "tox.ini [pytest]", "added"],
  [{ "pyproject.toml": "[project\n" }, "pyproject.toml", "changed"],
  [{ "app/pyproject.toml": "[tool.ruff]\nline-length = 1\n" }, "app/pyproject.toml [tool.ruff]", "added"],
  [
    { "pyproject.toml": `${base["pyproject.toml"]}\n[project.entry-points.pytest11]\na = "b"\n` },
    "pyproject.toml [project.entry-points.pytest11]",
    "added",
  ],
  [
    { "pyproject.toml": `${base["pyproject.toml"]}\n[project.entry-points]\npytest11 = 5\n` },
    "pyproject.toml [project.entry-points.pytest11]",
    "added",
  ],
  [{ "usercustomize/__init__.py": "" }, "usercustomize/__init__.py", "added"],
  [{ "src/x.pth": "import os\n" }, "src/x.pth", "unreadable_code"],
  [{ "app/fast.cpython-311-x86_64-linux-gnu.so": "x" }, "app/fast.cpython-311-x86_64-linux-gnu.so", "unreadable_code"],
  [{ "app/__pycache__/core.cpython-311.pyc": "x" }, "app/__pycache__/core.cpython-311.pyc", "unreadable_code"],
  [{ "bundle.zip": "x" }, "bundle.zip", "unreadable_code"],
  [{ "config/shared.toml": "line-length = 300\n" }, "config/shared.toml", "changed"],
  [{ "ruff.toml": null }, "ruff.toml", "deleted"],
  [{ "app/hooks.py": "def pytest_runtest_call(): pass\n" }, "app/hooks.py", "changed"],
  [{ "tests/data/golden.json": "[]\n" }, "tests/data/golden.json", "changed"],
  [{ "tests/data/golden.json": null }, "tests/data/golden.json", "deleted"],
  [{ "tests/data/extra.json": "[]\n" }, "tests/data/extra.json", "added"],
  [{ "tests/data/expected.csv": "2\n" }, "tests/data/expected.csv", "changed"],
  [{ "__init__.py": "x = 1\n" }, "__init__.py", "added"],
  [{ "A.DIST-INFO/entry_points.txt": "[pytest11]\na = b\n" }, "A.DIST-INFO/entry_points.txt [pytest11]", "added"],
  [
    { "pyproject.toml": `${base["pyproject.toml"]}\n[tool.flit.entrypoints.pytest11]\na = "b"\n` },
    "pyproject.toml [tool.flit.entrypoints.pytest11]",
    "added",
  ],
  [{ "tests/helpers.pyc": "x" }, "tests/helpers.pyc", "unreadable_code"],
  [{ "app.cpython-311-x86_64-linux-gnu.so": "x" }, "app.cpython-311-x86_64-linux-gnu.so", "unreadable_code"],
  [{ "tests/test_t001_it.py": `${test1}\n` }, "tests/test_t001_it.py", "changed"],
  [{ "tests/test_t001_it/__init__.py": "" }, "tests/test_t001_it/__init__.py", "shadows"],
  [{ "tests/TEST_T001_IT.py": "" }, "tests/TEST_T001_IT.py", "shadows"],
];

test.each(protectedOnes)("a change of %o is a change of a judge file", async (files, path, what) => {
  expect(await judge(files)).toContainEqual([path, what, false]);
});

test.each<readonly [Files]>([
  [{ "tests/free.py": "x = 2\n" }],
  [{ "tests/test_mine.py": "x = 2\n" }],
  [{ "tests/sub/todo/__init__.py": "" }],
  [{ "tests/data/archive.zip": "x" }],
  [{ "models/weights.pth": "x" }],
  [{ "app/core.py": "x = 2\n", "app/helpers.py": "x = 1\n" }],
  [{ "tests/conftest.py": "# nothing\n", "tests/__init__.py": "" }],
  [{ "tests/data/other.json": "{}\n", "config/other.toml": "x = 1\n", "tests/out.csv": "1\n" }],
  [{ "tox.ini": "[tox]\nenvlist = py3\n", "setup.cfg": "[metadata]\nname = other\n\n[tool:pytest]\naddopts = -q\n" }],
  [{ "pyproject.toml": `${base["pyproject.toml"]}\n[tool.black]\nx = 1\n` }],
])("a task may make the change %o", async (files) => {
  expect(await judge(files)).toEqual([]);
});

const addopts = `${base["pyproject.toml"]}`.replace("-p early", "-p early -v");
const lint = `${base["pyproject.toml"]}`.replace('["E"]', '["F"]');

test.each<readonly [Files, string, boolean]>([
  [{ "tests/helpers.py": "x = 1\n" }, "Extend tests/helpers.py.", true],
  [{ "tests/helpers.py": "x = 1\n" }, "Extend `helpers.py`, then stop", true],
  [{ "tests/helpers.py": "x = 1\n" }, "Extend tests/helpers.pyc and more_helpers.py", false],
  [{ "docs/conftest.py": "x = 2\n" }, "Change conftest.py", false],
  [{ "docs/conftest.py": "x = 2\n" }, "Change ./docs/conftest.py", true],
  [{ "conftest.py": "x = 2\n" }, "Change conftest.py", true],
  [{ "conftest.py": "def pytest_collection_modifyitems(): pass\n" }, "Change conftest.py", false],
  [{ "conftest.py": 'globals()["pytest_runtest_call"] = print\n' }, "Change conftest.py", false],
  [{ "conftest.py": "from app.core import *\n" }, "Change conftest.py", false],
  [{ "conftest.py": "def pytest_configure(): pass\n" }, "Give conftest.py a pytest_configure.", true],
  [{ "conftest.py": "def f(request): request.config.pluginmanager.register(f)\n" }, "Change conftest.py", false],
  [{ "conftest.py": "if True:\n    pytest_plugins = ['app.core']\n" }, "Change conftest.py", false],
  [
    { "conftest.py": latin("# coding: latin-1\n# \u00e9\ndef pytest_configure(): pass\n") },
    "Change conftest.py",
    false,
  ],
  [{ "conftest.py": latin("# coding: latin-1\n# \u00e9\nx = 1\n") }, "Change conftest.py", true],
  [{ "conftest.py": latin("# \u00e9\nx = 1\n") }, "Change conftest.py", false],
  [{ "tests/data/golden.json": "[]\n" }, "Extend tests/data/golden.json", true],
  [{ "pyproject.toml": addopts }, "Change pyproject.toml", false],
  [{ "pyproject.toml": addopts }, "Change tool.pytest.ini_options", false],
  [{ "pyproject.toml": addopts }, "In pyproject.toml, [tool.pytest.ini_options] gets -v", true],
  [{ "pyproject.toml": addopts }, "In pyproject.toml, tool.ruff.lint gets F", false],
  [{ "pyproject.toml": lint }, "In pyproject.toml, tool.ruff.lint gets F.", true],
  [{ "pyproject.toml": lint }, "In pyproject.toml, tool.ruff.format changes", false],
  [{ "tox.ini": "[pytest]\n" }, "Use pytest in tox.ini", false],
  [{ "tox.ini": "[pytest]\n" }, "Add [pytest] to tox.ini", true],
  [{ "tests/test_t001_it.py": "" }, "Rewrite tests/test_t001_it.py", false],
  [{ "app/fast.so": "x" }, "Ship app/fast.so", true],
])("a change of %o under the task text %j is allowed: %s", async (files, text, allowed) => {
  const found = await judge(files, text);
  expect(found).not.toEqual([]);
  expect(
    found.every((change) => change[2] === allowed),
    JSON.stringify(found),
  ).toBe(true);
});

test("the remedy for a changed judge file is a command", async () => {
  const tree = await world.tree({ "tests/inner.py": "x = 2\n", "tests/conf test/conftest.py": "x = 1\n" }, base);
  const payload = { repo: "/repo", last, tree, base: last };
  const input = { staged: [], text: "", opened: [], accepted: [] };
  const { changes } = await zygote.ask(checkRequests.judge, { payload, input }, never);
  expect(changes.map(({ remedy }) => remedy)).toEqual(["rm -rf 'tests/conf test/conftest.py'"]);
});

test("trees made to exhaust a parser are judged all the same", async () => {
  const deep = `x = ${"(".repeat(50_000)}1${")".repeat(50_000)}\n`;
  const files = {
    "conftest.py": deep,
    "tests/helpers.py": deep,
    "tests/inner.py": `x = [${"-".repeat(200_000)}1]\n`,
  };
  const found = await judge(files, "Change conftest.py");
  expect(found).toContainEqual(["conftest.py", "added", false]);
});

test("a conftest that was no text is judged all the same", async () => {
  const broken = latin("# \xff\n");
  const changed = { "conftest.py": "def pytest_runtest_call(): pass\n" };
  expect(await judgedFrom({ ...base, "conftest.py": broken }, changed)).toEqual(["conftest.py changed"]);
});

test("an empty package mark may be added, and a computed plugin list makes every module beside it a judge file", async () => {
  expect(await judge({ "__init__.py": "" })).toEqual([]);
  const computed = 'from glob import glob\n\npytest_plugins = [name[:-3] for name in glob("tests/parts/*.py")]\n';
  const before = { ...base, "conftest.py": computed };
  const added = await judgedFrom(before, { "tests/parts/new.py": "x = 1\n", "tests/parts/test_new.py": "x = 1\n" });
  expect(added).toEqual(["tests/parts/new.py added"]);
});

describe("links", () => {
  const linked: Files = {
    ...base,
    "conftest.py": link("config/fixtures.txt"),
    "config/fixtures.txt": "x = 1\n",
    "tests/shared": link("../app/shared"),
    "app/shared/tools.py": "x = 1\n",
    "app/unused.py": link("core.py"),
    "tests/unit/conftest.py": "from tests.shared import tools\n",
  };

  test("count as changed when what they lead to changes", async () => {
    expect(await judgedFrom(linked, { "config/fixtures.txt": "x = 2\n" })).toEqual(["conftest.py changed"]);
    expect(await judgedFrom(linked, { "app/shared/tools.py": "x = 2\n" })).toEqual([
      "tests/shared changed",
      "tests/shared/tools.py changed",
    ]);
    expect(await judgedFrom(linked, { "app/core.py": "x = 2\n" })).toEqual([]);
  });

  test("to a folder make judge files of what is read through them", async () => {
    const before = {
      ...base,
      "tests/data": link("../samples"),
      "tests/data/golden.json": null,
      "samples/golden.json": "{}",
    };
    expect(await judgedFrom(before, { "samples/golden.json": "[]" })).toEqual(["tests/data/golden.json changed"]);
    expect(await judgedFrom(before, { "samples/free.json": "[]" })).toEqual([]);
  });

  test("cannot bring in a start-up hook or the metadata of a plugin", async () => {
    const found = await judgedFrom(base, { sitecustomize: link("app"), "a-1.dist-info": link("app") });
    expect(found.sort()).toEqual(["a-1.dist-info unreadable_code", "sitecustomize added"]);
  });
});

describe("the judge files of two tasks in a row", () => {
  const hostile = "def pytest_runtest_makereport(): pass\n";
  const step1: Files = { ...base, "tests/free.py": hostile, "app/extra.py": hostile };
  const loads = { "docs/conftest.py": "from app.hooks import *\nimport tests.free\n" };
  const text = "Load tests.free in docs/conftest.py.";

  test("cannot load what an earlier task slipped in when it was not judged", async () => {
    expect(await judgedFrom(base, { "tests/free.py": hostile, "app/extra.py": hostile })).toEqual([]);
    const naively = await judgedFrom(step1, loads, { text });
    expect(naively).toEqual([]);
    const since = { base, accepted: ["Make it work."] };
    expect(await judgedFrom(step1, loads, { text: "Change docs/conftest.py.", since })).toEqual([
      "tests/free.py changed",
    ]);
    const plugins = { "docs/conftest.py": 'from app.hooks import *\n\npytest_plugins = "app.extra"\n' };
    expect(
      await judgedFrom(step1, plugins, { text: "List app.extra in pytest_plugins of docs/conftest.py.", since }),
    ).toEqual([]);
    const wild = { "docs/conftest.py": "from app.hooks import *\nfrom app.extra import *\n" };
    expect(await judgedFrom(step1, wild, { text: "Import * in docs/conftest.py.", since })).toEqual([
      "app/extra.py changed",
    ]);
  });

  test("may load what stood in the base or was named by a task", async () => {
    const change = { text: "Change docs/conftest.py." };
    expect(await judgedFrom(base, loads, change)).toEqual([]);
    expect(
      await judgedFrom({ ...base, "app/core.py": "x = 9\n" }, loads, { ...change, since: { base, accepted: [] } }),
    ).toEqual([]);
    const since = { base, accepted: ["Write helpers in tests/free.py."] };
    expect(await judgedFrom(step1, loads, { ...change, since })).toEqual([]);
  });

  test("include data that a task changed before anything read it, which has to be put back", async () => {
    const changed = { ...base, "tests/data/golden.json": "[]\n" };
    const since = { base, accepted: ["Make it work."] };
    expect(await judgedFrom(changed, {}, { since })).toEqual(["tests/data/golden.json changed"]);
    const golden = { "tests/data/golden.json": base["tests/data/golden.json"] ?? null };
    expect(await judgedFrom(changed, golden, { since })).toEqual([]);
    expect(await judgedFrom(changed, golden)).toEqual(["tests/data/golden.json changed"]);
    expect(await judgedFrom(changed, {}, { since: { base, accepted: ["Sort golden.json."] } })).toEqual([]);
  });

  test("are found by the second task as the base has them, because the first may not change them", async () => {
    expect(await judgedFrom(base, { "tests/inner.py": hostile })).toEqual(["tests/inner.py changed"]);
    const accepted = await judgedFrom(base, { "tests/inner.py": "x = 2\n" }, { text: "Set x in tests/inner.py." });
    expect(accepted).toEqual([]);
    expect(await judgedFrom({ ...base, "tests/inner.py": "x = 2\n" }, { "tests/inner.py": hostile })).toEqual([
      "tests/inner.py changed",
    ]);
  });
});
