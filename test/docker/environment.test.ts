import { afterAll, describe, expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { StagedTest } from "../../runner/hands/ports/checks/staged.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { Environment, type Package } from "../helpers/environment.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const plugin = (name: string, source: string): Package => ({
  name,
  files: { [`${name.replaceAll("-", "_")}.py`]: source },
  entryPoints: `[pytest11]\n${name.replace("pytest-", "")} = ${name.replaceAll("-", "_")}\n`,
});

const packages: readonly Package[] = [
  { name: "words", files: { "words/__init__.py": "def plural(name):\n    return name + 's'\n" } },
  { name: "careless", files: { "tests/__init__.py": "", "tests/theirs.py": "" } },
  { name: "shared-part", files: { "shared/part.py": "PART = 1\n" } },
  plugin(
    "pytest-clock",
    `import sys

import pytest

IMPORTED_WITH_TREE = "/workspace" in sys.path


def pytest_addoption(parser):
    parser.addoption("--clock", default="none")
    parser.addini("clock_zone", "where", default="utc")


@pytest.fixture
def clock(pytestconfig):
    return pytestconfig.getoption("clock"), pytestconfig.getini("clock_zone")


def pytest_runtest_setup(item):
    item.config.was_set_up = True
`,
  ),
  plugin(
    "pytest-late",
    "import sys\n\nimport pytest\n\nfrom demo.core import BASE\n\n\n@pytest.fixture\ndef base():\n    return BASE\n",
  ),
  plugin(
    "pytest-unwanted",
    "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef unwanted():\n    raise ValueError\n",
  ),
  plugin("pytest-timeout", "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef unwanted():\n    raise ValueError\n"),
  {
    name: "pytest-xdist",
    files: { "xdist/__init__.py": "", "xdist/plugin.py": "raise SystemExit('loaded')\n", "xdist/newhooks.py": hooks() },
    entryPoints: "[pytest11]\nxdist = xdist.plugin\n",
  },
];

function hooks(): string {
  return 'def pytest_xdist_auto_num_workers(config):\n    """How many."""\n';
}

const project = {
  name: "demo",
  version: "3.2",
  entryPoints: "[console_scripts]\ndemo = demo.cli:main\n",
  scripts: { demo: "demo.cli:main" },
};
const tree: Files = {
  "pyproject.toml": '[project]\nname = "demo"\nversion = "3.2"\n',
  "src/demo/__init__.py": "",
  "src/demo/__main__.py": "from demo.cli import main\n\nmain()\n",
  "src/demo/cli.py": "def main():\n    print('demo at work')\n",
  "src/demo/core.py": "BASE = 7\n",
};

const environment = await Environment.of({ packages, project, sourceRoots: ["/workspace/src", "/workspace"] });
afterAll(() => environment[Symbol.dispose]());
const { world, checks } = await sharedChecks(environment.folder);

const path = "tests/test_t001_it.py";
const blocked = "addopts = -p no:unwanted\n";

async function check(source: string, files: Files = {}) {
  const staged: StagedTest[] = [{ path, source }];
  const settings = { "pytest.ini": `[pytest]\n${blocked}` };
  const given = await world.tree({ ...tree, ...settings, [path]: source, ...files });
  const request = requestOf({ tree: given, last: given, staged });
  const report = await checks.run(request, never);
  return { ...judgementOf(report, request), report };
}

const passes = (judged: Awaited<ReturnType<typeof check>>) =>
  expect(judged, JSON.stringify(judged.checks)).toMatchObject({ passed: true });

describe("a check in an environment", () => {
  test("finds what is installed, and behind it the tree in a src layout", async () => {
    const source = `import sys

import shared.part
import words
from demo.core import BASE


def test_it():
    assert words.plural("fig") == "figs"
    assert shared.part.PART == 1
    assert words.__file__.startswith("/opt/tilth/env/")
    assert BASE == 7
    assert sys.executable == "/opt/tilth/env/bin/python"
    assert sys.prefix == "/opt/tilth/env"
`;
    passes(await check(source));
  });

  test("does not let a module of the tree replace an installed one", async () => {
    const source = "import words\n\n\ndef test_it():\n    assert words.plural('fig') == 'figs'\n";
    passes(await check(source, { "words.py": "def plural(name):\n    return 'other'\n" }));
  });

  test("takes tests/ from the tree, whatever an installed package has of that name", async () => {
    const source = "from tests.helper import FIVE\n\n\ndef test_it():\n    assert FIVE == 5\n";
    passes(await check(source, { "tests/__init__.py": "", "tests/helper.py": "FIVE = 5\n" }));
  });

  test("has the project's own metadata and programs", async () => {
    const source = `import subprocess
import sys
from importlib.metadata import entry_points, version


def said_by(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_it(tmp_path, monkeypatch):
    assert version("demo") == "3.2"
    assert [one.value for one in entry_points(group="console_scripts", name="demo")] == ["demo.cli:main"]
    monkeypatch.chdir(tmp_path)
    assert said_by("demo") == "demo at work\\n"
    assert said_by("python", "-m", "demo") == "demo at work\\n"
    assert said_by(sys.executable, "-m", "demo") == "demo at work\\n"
`;
    passes(await check(source));
  });

  test("loads plugins with options, settings, fixtures and hooks before the tree is there", async () => {
    const source = `import pytest_clock


def test_it(clock, request):
    assert clock == ("noon", "cet")
    assert request.config.was_set_up
    assert request.config.pluginmanager.get_plugin("clock") is pytest_clock
    assert not pytest_clock.IMPORTED_WITH_TREE
`;
    passes(await check(source, { "pytest.ini": `[pytest]\n${blocked.trim()} --clock=noon\nclock_zone = cet\n` }));
  });

  test("imports a plugin that itself imports the project, and does not load a refused one", async () => {
    passes(await check("def test_it(base):\n    assert base == 7\n"));
    const judged = await check("def test_it():\n    assert True\n", { "pytest.ini": "[pytest]\n" });
    expect(judged.checks[1]).toMatchObject({ reason: "test_failed" });
  });

  test("names a plugin that cannot be imported", async () => {
    const judged = await check("def test_it():\n    assert True\n", { "src/demo/core.py": "" });
    expect(judged.checks[1]).toMatchObject({ reason: "collect_error" });
    expect(judged.checks[1]?.output).toContain("late, a plugin of pytest-late, cannot be imported");
  });

  test("takes no plugin from metadata in the tree", async () => {
    const source = "def test_it():\n    assert True\n";
    const info = "forged-1.0.dist-info";
    const forged = {
      "forger.py": "def pytest_runtest_setup():\n    raise ValueError\n",
      [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: forged\nVersion: 1.0\n",
      [`${info}/entry_points.txt`]: "[pytest11]\nforger = forger\n",
    };
    passes(await check(source, forged));
  });

  test("leaves out plugins that measure, spread or time, with all their options and settings", async () => {
    const source = `import pytest


@pytest.mark.timeout(5)
def test_it(worker_id):
    assert worker_id == "master"
`;
    const said = `${blocked.trim()} -n 4 -p xdist --timeout=3 --strict-markers --strict-config\ntimeout = 5\n`;
    const conftest = "def pytest_xdist_auto_num_workers(config):\n    return 2\n";
    const judged = await check(source, { "pytest.ini": `[pytest]\n${said}`, "conftest.py": conftest });
    passes(judged);
    expect(judged.integrityNotes.join()).toContain("-n 4, -pxdist, --timeout=3");
  });

  test("says that a missing module or option is missing in the environment", async () => {
    const judged = await check("import requests\n\n\ndef test_it():\n    assert requests\n");
    expect(judged.checks[1]).toMatchObject({ reason: "missing_module" });
    expect(judged.checks[1]?.output).toContain("requests is not in the environment");
    expect(judged.checks[1]?.output).toContain("dependency files");
    const unserved = await check("def test_it():\n    assert True\n", {
      "pytest.ini": "[pytest]\naddopts = --of-none\n",
    });
    expect(unserved.checks[1]?.output).toContain("No plugin in the environment serves --of-none");
  });
});

test("the worker's commands find the project, what is installed, and its programs", async () => {
  const given = await world.tree(tree);
  const lines = [
    "cd /tmp",
    "unset PYTHONPATH",
    "demo && python -m demo",
    "python -c 'import sys, words; from importlib.metadata import version; print(sys.executable, version(\"demo\"))'",
    "command -v python3",
    "echo $VIRTUAL_ENV",
  ];
  const { output } = await world.naively(given, ["bash", "-c", lines.join("\n")]);
  expect(output.split("\n").slice(0, -1)).toEqual([
    "demo at work",
    "demo at work",
    "/opt/tilth/env/bin/python 3.2",
    "/opt/tilth/env/bin/python3",
    "/opt/tilth/env",
  ]);
});
