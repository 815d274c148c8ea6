import { afterAll, beforeAll, expect, test } from "vitest";
import { judgeReport } from "../../runner/hands/check-replies.js";
import { Zygote } from "../../runner/hands/zygote.js";
import type { TreeId } from "../../runner/support/ids.js";
import { CheckWorld, type Files, never } from "../helpers/check-world.js";

const test1 =
  "from helpers import same\nfrom tests.deep import data\nimport app\n\n\ndef test_it():\n    same(app, data)\n";
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
  "config/style.toml": "line-length = 100\n",
  "docs/conftest.py": "x = 1\n",
};

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
  const payload = { do: "judge", repo: "/repo", last, tree: await world.tree(files, base) };
  const input = { staged: [{ path: "tests/test_t001_it.py", source: test1, judging: true }], text };
  const { changes } = await zygote.ask({ payload, input }, judgeReport, never);
  return changes.map(({ path, table, what, allowed }) => [table ? `${path} [${table}]` : path, what, allowed]);
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
  [{ "usercustomize/__init__.py": "" }, "usercustomize/__init__.py", "added"],
  [{ "src/x.pth": "import os\n" }, "src/x.pth", "unreadable_code"],
  [{ "app/fast.cpython-311-x86_64-linux-gnu.so": "x" }, "app/fast.cpython-311-x86_64-linux-gnu.so", "unreadable_code"],
  [{ "app/__pycache__/core.cpython-311.pyc": "x" }, "app/__pycache__/core.cpython-311.pyc", "unreadable_code"],
  [{ "bundle.zip": "x" }, "bundle.zip", "unreadable_code"],
  [{ "tests/test_t001_it.py": `${test1}\n` }, "tests/test_t001_it.py", "changed"],
  [{ "tests/test_t001_it/__init__.py": "" }, "tests/test_t001_it/__init__.py", "shadows"],
  [{ "tests/TEST_T001_IT.py": "" }, "tests/TEST_T001_IT.py", "shadows"],
];

test.each(protectedOnes)("%o judges the task", async (files, path, what) => {
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
  [{ "tox.ini": "[tox]\nenvlist = py3\n", "setup.cfg": "[metadata]\nname = other\n\n[tool:pytest]\naddopts = -q\n" }],
  [{ "pyproject.toml": `${base["pyproject.toml"]}\n[tool.black]\nx = 1\n` }],
])("%o is the task's own business", async (files) => {
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
])("%o under the text %j: allowed %s", async (files, text, allowed) => {
  const found = await judge(files, text);
  expect(found).not.toEqual([]);
  expect(
    found.every((change) => change[2] === allowed),
    JSON.stringify(found),
  ).toBe(true);
});

test("what puts a file back is a command", async () => {
  const tree = await world.tree({ "tests/inner.py": "x = 2\n", "tests/conf test/conftest.py": "x = 1\n" }, base);
  const payload = { do: "judge", repo: "/repo", last, tree };
  const { changes } = await zygote.ask({ payload, input: { staged: [], text: "" } }, judgeReport, never);
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
