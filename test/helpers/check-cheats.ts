import type { Files } from "./check-world.js";

/** A project whose first task is not done: `add` is wrong, and everything else is in order. */
export const project: Readonly<Record<string, string>> = {
  "calc.py": "def add(a, b):\n    return 0\n\n\ndef sub(a, b):\n    return a - b\n",
  "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n",
  "pyproject.toml": '[project]\nname = "calc"\nversion = "1"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
  "tests/helpers.py": "def same(left, right):\n    assert left == right\n",
  "tests/later.py": "EXPECTED = 6\n",
  "tests/test_t001_add.py":
    "from calc import add\nfrom helpers import same\n\n\ndef test_add(two):\n    same(add(two, 3), 5)\n    assert add(1, 1) == 2\n",
  "tests/test_t002_sub.py": "from calc import sub\n\n\ndef test_sub():\n    assert sub(3, 1) == 2\n",
};

/** A test of a task that is still to come: not run, and what it loads is protected all the same. */
export const pending = {
  path: "tests/test_t003_mul.py",
  source:
    "from later import EXPECTED\n\n\ndef test_mul():\n    from calc import mul\n\n    assert mul(2, 3) == EXPECTED\n",
};

export const solution = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n";
const wrong = project["calc.py"] ?? "";

export interface Cheat {
  readonly name: string;
  readonly files: Files;
  /** one of the reasons it is refused for; more than one where it depends on how far it gets */
  readonly reasons: readonly string[];
}

const flip = `import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
`;

/** Each makes \`python -m pytest\` over the tests end with 0 while \`add\` stays wrong. */
export const cheats: readonly Cheat[] = [
  { name: "a conftest that turns failures to passes", files: { "tests/conftest.py": flip }, reasons: ["judge_files"] },
  {
    name: "a conftest that deselects",
    files: {
      "conftest.py": `${project["conftest.py"]}\n\ndef pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if "add" not in item.name]\n`,
    },
    reasons: ["judge_files"],
  },
  {
    name: "a conftest that ignores the file",
    files: { "tests/conftest.py": 'collect_ignore = ["test_t001_add.py"]\n' },
    reasons: ["judge_files"],
  },
  {
    name: "a plugin named in a conftest",
    files: { "conftest.py": `${project["conftest.py"]}\n\npytest_plugins = ["spoiler"]\n`, "spoiler.py": flip },
    reasons: ["judge_files"],
  },
  {
    name: "addopts in pytest.ini",
    files: { "pytest.ini": "[pytest]\naddopts = --collect-only\n" },
    reasons: ["judge_files"],
  },
  {
    name: "addopts in pyproject.toml",
    files: { "pyproject.toml": '[project]\nname = "calc"\n\n[tool.pytest.ini_options]\naddopts = "-k sub"\n' },
    reasons: ["judge_files"],
  },
  {
    name: "a configuration below tests",
    files: { "tests/tox.ini": "[pytest]\naddopts = --collect-only\n" },
    reasons: ["judge_files"],
  },
  {
    name: "an edited staged test",
    files: { "tests/test_t001_add.py": "def test_add():\n    assert True\n" },
    reasons: ["judge_files"],
  },
  { name: "a deleted staged test", files: { "tests/test_t001_add.py": null }, reasons: ["judge_files"] },
  {
    name: "a renamed staged test",
    files: { "tests/test_t001_add.py": null, "tests/Test_T001_add.py": project["tests/test_t001_add.py"] ?? "" },
    reasons: ["judge_files"],
  },
  {
    name: "an edited helper of a staged test",
    files: {
      "tests/helpers.py": "class Same(int):\n    __eq__ = lambda *_: True\n\n\ndef same(left, right):\n    pass\n",
      "calc.py": "def add(a, b):\n    return 2\n\n\ndef sub(a, b):\n    return a - b\n",
    },
    reasons: ["judge_files"],
  },
  {
    name: "a helper of a task to come, weakened beforehand",
    files: {
      "calc.py": solution,
      "tests/later.py": "class Any:\n    __eq__ = lambda *_: True\n\n\nEXPECTED = Any()\n",
    },
    reasons: ["judge_files"],
  },
  {
    name: "sitecustomize",
    files: { "sitecustomize.py": "import atexit\nimport os\n\natexit.register(os._exit, 0)\n" },
    reasons: ["judge_files"],
  },
  {
    name: "a plugin by entry point",
    files: {
      "spoiler.py": flip,
      "spoiler-1.dist-info/entry_points.txt": "[pytest11]\nspoiler = spoiler\n",
      "spoiler-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: spoiler\nVersion: 1\n",
    },
    reasons: ["judge_files"],
  },
  {
    name: "a pytest.py of its own",
    files: { "pytest.py": 'print("2 passed in 0.01s")\n' },
    reasons: ["test_failed"],
  },
  {
    name: "os._exit at import",
    files: { "calc.py": `import os\n\nprint("2 passed in 0.01s", flush=True)\nos._exit(0)\n` },
    reasons: ["check_died"],
  },
  {
    name: "os._exit in a test, with reports written to every descriptor",
    files: {
      "calc.py": [
        "import json",
        "import os",
        "",
        "IDS = ['tests/test_t001_add.py::test_add', 'tests/test_t002_sub.py::test_sub']",
        "",
        "",
        "def add(a, b):",
        "    results = [{'id': name, 'outcome': 'passed', 'text': ''} for name in IDS]",
        "    report = {'nonce': '', 'exit': 0, 'finished': True, 'results': results, 'collect_errors': []}",
        "    report |= {'missing': [], 'dropped': [], 'unserved': []}",
        "    for number in range(3, 2000):",
        "        try:",
        "            os.write(number, json.dumps(report).encode())",
        "        except OSError:",
        "            pass",
        "    os._exit(0)",
        "",
        "",
        "sub = add",
        "",
      ].join("\n"),
    },
    reasons: ["forged_report"],
  },
  {
    name: "an exit status from atexit",
    files: { "calc.py": `import atexit\nimport os\n\natexit.register(os._exit, 0)\n\n\n${wrong}` },
    reasons: ["test_failed"],
  },
  {
    name: "a fork that leaves and a parent that lies",
    files: { "calc.py": `import os\n\nif os.fork():\n    os._exit(0)\n\n\n${wrong}` },
    reasons: ["check_died"],
  },
  {
    name: "a function that skips",
    files: {
      "calc.py": 'import pytest\n\n\ndef add(a, b):\n    pytest.skip("later")\n\n\ndef sub(a, b):\n    return a - b\n',
    },
    reasons: ["skipped"],
  },
  {
    name: "a function that expects to fail",
    files: {
      "calc.py": `import pytest\n\n\ndef add(a, b):\n    pytest.xfail("later")\n\n\ndef sub(a, b):\n    return a - b\n`,
    },
    reasons: ["skipped"],
  },
  {
    name: "a function that ends the session",
    files: { "calc.py": `import pytest\n\n\ndef add(a, b):\n    pytest.exit("done", returncode=0)\n\n\nsub = add\n` },
    reasons: ["not_finished"],
  },
  {
    name: "pytest's reports patched",
    files: {
      "calc.py": `from _pytest.reports import TestReport

made = TestReport.from_item_and_call.__func__


def passing(cls, item, call):
    report = made(cls, item, call)
    report.outcome = "passed"
    report.longrepr = None
    return report


TestReport.from_item_and_call = classmethod(passing)


${wrong}`,
    },
    reasons: ["test_failed"],
  },
  {
    name: "pytest's calls patched, and the JSON of a report with them",
    files: {
      "calc.py": `import json
import json.encoder
import _pytest.runner

call = _pytest.runner.CallInfo.from_call.__func__


def swallow(cls, func, when, reraise=None):
    def silent():
        try:
            return func()
        except AssertionError:
            return None

    return call(cls, silent, when, reraise)


_pytest.runner.CallInfo.from_call = classmethod(swallow)
json.dumps = lambda *_, **__: "{}"
json.encoder.JSONEncoder.encode = lambda *_: "{}"


${wrong}`,
    },
    reasons: ["no_canary"],
  },
  {
    name: "every item of the session forgotten",
    files: {
      "calc.py": `import _pytest.main

_pytest.main.Session.items = property(lambda _: [], lambda *_: None)


${wrong}`,
    },
    reasons: ["test_missing", "not_finished", "forged_report"],
  },
  {
    name: "an exit status from a patched session",
    files: {
      "calc.py": `import _pytest.main

_pytest.main.Session.testsfailed = property(lambda _: 0, lambda *_: None)


${wrong}`,
    },
    reasons: ["test_failed"],
  },
];

export interface Honest {
  readonly name: string;
  readonly files: Files;
  readonly text?: string;
  readonly added?: readonly string[];
}

/** What honest work looks like where the cheats above are: all of it passes. */
export const honest: readonly Honest[] = [
  { name: "the plain solution", files: { "calc.py": solution } },
  {
    name: "a conftest that the task names, without hooks",
    files: {
      "calc.py": solution,
      "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n",
    },
    text: "Add a fixture `three` to tests/conftest.py.",
  },
  {
    name: "a hook that the task names with its file",
    files: {
      "calc.py": solution,
      "conftest.py": `${project["conftest.py"]}\n\ndef pytest_report_header():\n    return "calc"\n`,
    },
    text: "Give conftest.py a pytest_report_header.",
  },
  { name: "a conftest without code", files: { "calc.py": solution, "tests/conftest.py": "# nothing yet\n" } },
  {
    name: "tables of pyproject.toml that do not judge",
    files: { "calc.py": solution, "pyproject.toml": `${project["pyproject.toml"]}\n[tool.other]\nx = 1\n` },
  },
  {
    name: "a pytest table that the task names",
    files: {
      "calc.py": solution,
      "pyproject.toml": `${project["pyproject.toml"]}markers = ["slow"]\n`,
    },
    text: "Declare the marker slow in [tool.pytest.ini_options] of pyproject.toml.",
  },
  {
    name: "test files, helpers and data of its own",
    files: {
      "calc.py": solution,
      "tests/test_more.py":
        "from more_helpers import FOUR\n\nfrom calc import add\n\n\ndef test_more(two):\n    assert add(two, two) == FOUR\n",
      "tests/more_helpers.py": "FOUR = 4\n",
      "tests/data/sample.zip": "PK",
    },
    added: ["tests/test_more.py"],
  },
  {
    name: "code that forks, registers an exit and prints like pytest",
    files: {
      "calc.py": `import atexit
import os
import subprocess
import sys

atexit.register(print, "2 failed in 0.01s")


def add(a, b):
    pid = os.fork()
    if pid == 0:
        os._exit(3)
    os.waitpid(pid, 0)
    print("1 failed in 0.01s")
    return int(subprocess.check_output([sys.executable, "-c", f"print({a} + {b})"]))


def sub(a, b):
    return a - b
`,
    },
  },
];
