import type { Files } from "./check-world.js";

/** A cheat and its honest twin: the files of each, the words of the task, and the findings that are refused. */
export interface ScanRow {
  readonly name: string;
  readonly last?: Files;
  readonly text?: string;
  readonly honest: Files;
  readonly cheat: Files;
  readonly refused: readonly string[];
}

const runs = 'exec(open("app/version.py").read())\n';
const patches = "import time\n\ntime.sleep = print\n";
const fixture = "import pytest\n\n\n@pytest.fixture\ndef made():\n    return 1\n";
const loading = (data: string) => `import pickle\n\n\ndef load(raw, other):\n    return pickle.loads(${data})\n`;
const running = (code: string) => `def run(text, names):\n    exec(${code}, names)\n`;

/** Tells code that the tests judge from files that only stand beside it. */
const places: readonly ScanRow[] = [
  {
    name: "a relative import means the module beside the one that has it",
    honest: { "tests/utils.py": fixture, "app/utils.py": "a = 1\n", "app/x.py": "from .utils import a\n" },
    cheat: { "tests/utils.py": fixture, "tests/x.py": "", "app/x.py": "from tests.utils import a\n" },
    refused: ["tests/utils.py:1 test_framework", "tests/utils.py:4 test_framework"],
  },
  {
    name: "an absolute import of the project's package means that, whatever tests have of its name",
    honest: { "tests/app/utils.py": fixture, "app/utils.py": "a = 1\n", "app/x.py": "from app.utils import a\n" },
    cheat: { "tests/app/utils.py": fixture, "app/x.py": "from tests.app.utils import a\n" },
    refused: ["tests/app/utils.py:1 test_framework", "tests/app/utils.py:4 test_framework"],
  },
  {
    name: "a setup.py that runs a file of its project",
    honest: { "setup.py": runs },
    cheat: { "setup.py": runs, "app/x.py": "import setup\n" },
    refused: ["setup.py:1 runs_text"],
  },
  {
    name: "benchmarks, examples and docs that nothing under test loads",
    honest: { "benchmarking/b.py": fixture, "docs/conf.py": runs, "examples/e.py": patches, "docs/b.py": "import b\n" },
    cheat: { "benchmarking/b.py": runs, "docs/c.py": "from benchmarking import b\n", "app/x.py": "import docs.c\n" },
    refused: ["benchmarking/b.py:1 runs_text"],
  },
  {
    name: "an example that a test starts by its path",
    honest: { "examples/e.py": patches, "tests/test_x.py": 'URL = "https://site/examples/other.py"\n' },
    cheat: { "examples/e.py": patches, "tests/test_x.py": 'import runpy\nrunpy.run_path("examples/e.py")\n' },
    refused: ["examples/e.py:3 patches_library"],
  },
  {
    name: "examples that a test finds in their folder",
    honest: { "examples/e.py": patches, "tests/test_x.py": '"""What examples show."""\n' },
    cheat: { "examples/e.py": patches, "tests/test_x.py": 'from pathlib import Path\nPath("examples").glob("*")\n' },
    refused: ["examples/e.py:3 patches_library"],
  },
  {
    name: "a tests.py",
    honest: { "tests.py": patches, "app/tests.py": patches },
    cheat: { "tests.py": patches, "app/tests.py": patches, "app/x.py": "from . import tests\n" },
    refused: ["app/tests.py:3 patches_library"],
  },
  {
    name: "a module that a conftest names",
    last: { "conftest.py": 'pytest_plugins = ["app.fixtures"]\n' },
    text: "Add a fixture to app/fixtures.py.",
    honest: { "app/fixtures.py": fixture },
    cheat: { "app/fixtures.py": fixture, "app/other.py": fixture, "app/x.py": "from . import fixtures\n" },
    refused: [
      ...["app/fixtures.py:1 test_framework", "app/fixtures.py:4 test_framework"],
      ...["app/other.py:1 test_framework", "app/other.py:4 test_framework"],
    ],
  },
  {
    name: "a module that the settings name",
    last: { "pytest.ini": "[pytest]\naddopts = -p app.fixtures\n" },
    text: "Add a fixture to app/fixtures.py.",
    honest: { "app/fixtures.py": fixture },
    cheat: { "app/fixtures.py": `${fixture}${patches}` },
    refused: ["app/fixtures.py:9 patches_library"],
  },
];

const asked = (text: string, honest: string, cheat: string, ...refused: readonly string[]): ScanRow => ({
  name: `a task that says: ${text}`,
  text,
  honest: { "app/x.py": honest },
  cheat: { "app/x.py": cheat },
  refused: refused.map((one) => `app/x.py:${one}`),
});

/** A task owns a construct by the meaning of its words. */
const meanings: readonly ScanRow[] = [
  asked(
    "Lay it out as a `ctypes.Structure`.",
    "import ctypes\n\n\nclass Row(ctypes.Structure):\n    _fields_ = [('a', ctypes.c_int)]\n",
    "import ctypes\nimport gc\n\ngc.get_objects()\n",
    "4 all_objects",
  ),
  asked(
    "Raise as `pytest.raises` does.",
    "import pytest\n\n\ndef refused(kind):\n    return pytest.raises(kind)\n",
    "import pytest\n\npytest.hookimpl\n",
    "3 test_framework",
  ),
  asked(
    "Put a finder on sys.meta_path.",
    "import importlib.abc\nimport sys\n\n\nclass Finder(importlib.abc.MetaPathFinder):\n    pass\n\n\nsys.meta_path.append(Finder())\n",
    "import runpy\nimport sys\n\nsys.meta_path.append(runpy.run_path)\n",
    "4 loads_no_source",
  ),
  asked(
    "Make its errors picklable.",
    "import pickle\n\n\ndef again(raw):\n    return pickle.loads(raw)\n",
    "def again(raw):\n    return eval(raw)\n",
    "2 runs_text",
  ),
  asked(
    "Configure pytest.ini and look into the file finder.",
    "x = 1\n",
    "import importlib.abc\nimport pytest\n\n\nclass Finder(importlib.abc.MetaPathFinder):\n    pass\n",
    ...["2 test_framework", "5 import_hooks"],
  ),
];

const json = "import json\nfrom functools import partial\n\nshown = partial(json.dumps, indent=2)\n";

/** Constructs that are the project's own, or were there already. */
const owned: readonly ScanRow[] = [
  {
    name: "attributes of a partial",
    honest: { "app/x.py": `${json}shown.__name__ = "shown"\nshown.extra = 1\nsetattr(shown, "more", 2)\n` },
    cheat: { "app/x.py": `${json}shown.func.indent = 1\npartial(setattr)(json, "dumps", str)\n` },
    refused: ["app/x.py:5 patches_library", "app/x.py:6 patches_library"],
  },
  {
    name: "what a partial calls",
    honest: { "app/x.py": "import os\nfrom functools import partial\n\nlisted = partial(os.listdir)\nlisted('.')\n" },
    cheat: { "app/x.py": "import os\nfrom functools import partial\n\nwrite = partial(os.write)\nwrite(3, b'')\n" },
    refused: ["app/x.py:5 strange_descriptors"],
  },
  {
    name: "the text that describes a function, and the types a foreign one takes",
    text: "Call the library by ctypes.",
    honest: {
      "app/x.py": "import ctypes\nimport heapq\n\nheapq.merge.__doc__ = ''\nctypes.cdll.m.sin.restype = float\n",
    },
    cheat: { "app/x.py": "import heapq\n\nheapq.merge.__code__ = None\n" },
    refused: ["app/x.py:3 function_insides", "app/x.py:3 patches_library"],
  },
  {
    name: "data from elsewhere that is loaded as before",
    last: { "app/x.py": loading("raw") },
    honest: {
      "app/x.py": `${loading("bytes(raw)")}\n\ndef again(raw):\n    return pickle.loads(raw.encode("utf-8"))\n`,
    },
    cheat: { "app/x.py": `${loading("DATA")}DATA = b"cos"\n` },
    refused: ["app/x.py:5 unpickles"],
  },
  {
    name: "text from elsewhere that is run as before",
    last: { "app/x.py": running("text") },
    honest: { "app/x.py": running('compile(text, "<run>", "exec")') },
    cheat: { "app/x.py": running('compile("import os", "<run>", "exec")') },
    refused: ["app/x.py:2 runs_text"],
  },
  {
    name: "a file that calls a foreign library lays out more for it",
    last: { "app/x.py": "import ctypes\n\nBYTE = ctypes.c_byte\n" },
    honest: {
      "app/x.py":
        "import ctypes\nfrom ctypes import wintypes\n\n\nclass Row(ctypes.Structure):\n    _fields_ = [('a', wintypes.DWORD)]\n\n\ndef call():\n    return ctypes.windll.kernel32.GetTickCount(ctypes.byref(Row()))\n",
    },
    cheat: { "app/x.py": "import ctypes\n\nctypes.CDLL(None)\nctypes.memset(ctypes.c_int.from_address(7), 0, 1)\n" },
    refused: ["app/x.py:3 raw_memory", "app/x.py:4 raw_memory"],
  },
  {
    name: "a plugin for pytest that has more to do with it",
    last: { "app/plugin.py": fixture },
    honest: { "app/plugin.py": `${fixture}\n\n@pytest.hookimpl\ndef pytest_configure(config):\n    pass\n` },
    cheat: { "app/plugin.py": `${fixture}\nfrom _pytest import runner\n\npytest.raises = runner\n` },
    refused: ["app/plugin.py:10 patches_library", ...[8, 10].map((line) => `app/plugin.py:${line} test_framework`)],
  },
  {
    name: "an import that stood in a function",
    last: { "app/x.py": "def load(raw):\n    import ctypes\n\n    return raw\n" },
    honest: { "app/x.py": "import ctypes\n\n\ndef load(raw):\n    return raw\n" },
    cheat: { "app/x.py": "import ctypes\n\n\ndef load(raw):\n    return ctypes.string_at(raw)\n" },
    refused: ["app/x.py:5 raw_memory"],
  },
  {
    name: "a loop over all modules as the file has one",
    last: { "app/x.py": "import sys\n\nfor name in list(sys.modules):\n    print(name)\n" },
    honest: { "app/x.py": "import sys\n\nfor _ in (1, 2):\n    for name in list(sys.modules):\n        print(name)\n" },
    cheat: { "app/y.py": "import sys\n\nfor name in list(sys.modules):\n    print(name)\n" },
    refused: ["app/y.py:3 walks_modules"],
  },
];

export const scanRows: readonly ScanRow[] = [...places, ...meanings, ...owned];
