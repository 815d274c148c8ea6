import { py } from "../cheats/py.js";
import type { Files } from "./check-world.js";

interface Case {
  readonly name: string;
  readonly source: string;
  readonly files: Files;
}

interface Attack extends Case {
  /** the same project written honestly */
  readonly fixed: Files;
  /** the name that the check has to give */
  readonly what: string;
}

const near = "import calc\n\n\ndef test_it():\n    assert abs(calc.half(3) - 1.5) < 0.1\n";
const honestHalf = "def half(value):\n    return value / 2\n";
const half = { "calc.py": honestHalf };

/** Attacks that a reader of the source need not see. */
export const attacks: readonly Attack[] = [
  {
    name: "a builtin replaced when it is first needed, and put back by nobody",
    source: near,
    files: { "calc.py": "def half(value):\n    half.__builtins__['abs'] = lambda _: 0\n    return 9\n" },
    fixed: half,
    what: "builtins.abs",
  },
  {
    name: "a builtin replaced for half of the assertions of a test",
    source: py`
import calc


def test_it():
    for value in (1, 2):
        assert abs(calc.half(value) - value / 2) < 0.1
`,
    files: {
      "calc.py": py`
TABLE = (lambda: 0).__builtins__
KEPT = {"abs": abs}


def half(value):
    TABLE["abs"] = (lambda _: 0) if value == 1 else KEPT["abs"]
    return 9 if value == 1 else value / 2
`,
    },
    fixed: half,
    what: "builtins.abs",
  },
  {
    name: "a builtin replaced for a while by an object whose class hides what it holds",
    source: py`
import calc


def test_it():
    for value in (1, 2):
        assert abs(calc.half(value) - value / 2) < 0.1
`,
    files: {
      "calc.py": py`
TABLE = (lambda: 0).__builtins__
KEPT = {"abs": abs}


class Hiding(type):
    __dict__ = property(lambda cls: {})


class Nothing(metaclass=Hiding):
    __module__ = "json"

    def __call__(self, value):
        return 0


def half(value):
    TABLE["abs"] = Nothing() if value == 1 else KEPT["abs"]
    return 9 if value == 1 else value / 2
`,
    },
    fixed: half,
    what: "builtins.abs",
  },
  {
    name: "a builtin replaced by another builtin",
    source: near,
    files: { "calc.py": "def half(value):\n    return 9\n\n\nhalf.__builtins__['abs'] = callable\n" },
    fixed: half,
    what: "builtins.abs",
  },
  {
    name: "a builtin replaced by another builtin when it is first needed",
    source: near,
    files: { "calc.py": "def half(value):\n    half.__builtins__['abs'] = callable\n    return 9\n" },
    fixed: half,
    what: "builtins.abs",
  },
  {
    name: "the defaults of a function of pytest",
    source: "import pytest\n\nimport calc\n\n\ndef test_it():\n    assert calc.half(3) == pytest.approx(1.5)\n",
    files: {
      "calc.py": py`
import importlib

approx = importlib.import_module("py" + "test").approx
approx.__defaults__ = (None, 100, False)


def half(value):
    return 9
`,
    },
    fixed: half,
    what: "pytest.approx",
  },
  {
    name: "the defaults of a function of pytest, changed while the tests run",
    source: "import pytest\n\nimport calc\n\n\ndef test_it():\n    assert calc.half(3) == pytest.approx(1.5)\n",
    files: {
      "calc.py": py`
import importlib


def half(value):
    approx = importlib.import_module("py" + "test").approx
    approx.__defaults__ = (None, 100, False)
    return 9
`,
    },
    fixed: half,
    what: "pytest.approx",
  },
  {
    name: "a method that a class of the library inherits",
    source: py`
import unittest

import calc


class HalfTest(unittest.TestCase):
    def test_half(self):
        self.assertEqual(calc.half(3), 1.5)
`,
    files: {
      "calc.py": py`
import unittest


def half(value):
    return 9


type.__setattr__(unittest.TestCase, "_baseAssertEqual", lambda *_, **__: None)
`,
    },
    fixed: half,
    what: "unittest.case.TestCase._baseAssertEqual",
  },
  {
    name: "a class whose home is said to be a package of the image",
    source: near,
    files: {
      "calc.py": py`
Zero = type("Zero", (float,), {"__module__": "iniconfig", "__new__": lambda *_: float.__new__(float, 0)})


def half(value):
    return 9


half.__builtins__["abs"] = Zero
`,
    },
    fixed: half,
    what: "builtins.abs",
  },
  {
    name: "a helper module that is another one",
    source: "import calc\nfrom helper import EXPECTED\n\n\ndef test_it():\n    assert calc.half(3) == EXPECTED\n",
    files: {
      "tests/helper.py": "EXPECTED = 1.5\n",
      "calc.py": py`
import sys
import types

helper = types.ModuleType("helper")
helper.EXPECTED = 9
vars(sys)["modules"]["helper"] = helper


def half(value):
    return 9
`,
    },
    fixed: half,
    what: "helper",
  },
  {
    name: "a relative import that finds another module",
    source: "import calc\n\nfrom .helper import EXPECTED\n\n\ndef test_it():\n    assert calc.half(3) == EXPECTED\n",
    files: {
      "tests/__init__.py": "",
      "tests/helper.py": "EXPECTED = 1.5\n",
      "calc.py": py`
import sys
import types

vars(sys)["modules"]["tests.helper"] = types.SimpleNamespace(EXPECTED=9)


def half(value):
    return 9
`,
    },
    fixed: half,
    what: "tests.helper",
  },
  {
    name: "data exchanged for another file of the same size and age",
    source: py`
from pathlib import Path

import calc

expected = float((Path(__file__).parent / "data/half.txt").read_text())


def test_it():
    assert calc.half(3) == expected
`,
    files: {
      "tests/data/half.txt": "1.5",
      "calc.py": py`
import os

PATH = os.path.join(os.path.dirname(__file__), "tests", "data", "half.txt")
before = os.stat(PATH)
with open(PATH, "w") as file:
    file.write("9.0")
os.utime(PATH, ns=(before.st_atime_ns, before.st_mtime_ns))


def half(value):
    return 9
`,
    },
    fixed: half,
    what: "tests/data/half.txt",
  },
];

/** Things that tests and projects may do to themselves and to the library. */
export const honest: readonly Case[] = [
  {
    name: "tests that replace what they need",
    source: py`
import builtins
import io
import time
from unittest import mock

import calc


class Clock:
    def __init__(self, source):
        self.source = source

    def __call__(self):
        return self.source()


def test_monkeypatch(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: calc.half(2))
    assert time.time() == 1
    monkeypatch.setattr(time, "sleep", calc.slept.append)
    time.sleep(1)
    assert calc.slept == [1]
    monkeypatch.setattr(time, "monotonic", calc.half)
    assert time.monotonic(4) == 2


def test_mock():
    with mock.patch("builtins.open", mock.mock_open(read_data="3")):
        assert open("x").read() == "3"
    with mock.patch("time.sleep", autospec=True) as slept, mock.patch("builtins.print", side_effect=calc.half) as said:
        time.sleep(1)
        print(2)
        assert slept.called and said.called
    with mock.patch.object(builtins, "input", return_value="y"):
        assert input() == "y"


@mock.patch("time.perf_counter", Clock(lambda: calc.half(2)))
def test_decorated():
    assert time.perf_counter() == 1


@mock.patch("time.monotonic", calc.half)
@mock.patch.object(time, "sleep", calc.slept.append)
def test_patched_with_what_the_project_has():
    time.sleep(time.monotonic(8))
    assert calc.slept[-1] == 4


def test_streams(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("3"))
    print(calc.half(int(input())))
    assert capsys.readouterr().out == "1.5\n"
`,
    files: { "calc.py": `slept = []\n\n\n${honestHalf}` },
  },
  {
    name: "a conftest that freezes time with its own class",
    source:
      "import datetime\nimport time\n\n\ndef test_it():\n    assert time.time() == 7\n    assert datetime.date.today().year == 2000\n",
    files: {
      "conftest.py": py`
import datetime
import time


class Frozen(datetime.date):
    @classmethod
    def today(cls):
        return cls(2000, 1, 1)


time.time = lambda: 7
datetime.date = Frozen
`,
    },
  },
  {
    name: "tests that patch for good when they are imported",
    source: py`
import time
from unittest import mock

patcher = mock.patch("time.sleep")
patcher.start()


def test_it():
    time.sleep(1000)
    assert time.sleep.called
`,
    files: {},
  },
  {
    name: "tests that put things of the library in another's place, and leave them there",
    source: py`
import random
import time

import calc

time.sleep = print


def test_it():
    random.random = iter([3]).__next__
    time.sleep(1)
    assert calc.half(random.random()) == 1.5
`,
    files: half,
  },
  {
    name: "a project that sets up the library as it means to be set up",
    source: py`
import json
from decimal import Decimal

import calc


def test_it():
    assert json.dumps(calc.Half(3), cls=calc.Encoder) == "1.5"
    assert calc.cached(3) == 1.5
    assert Decimal(1) / 3 == Decimal("0." + "3" * 30)
    assert _("half") == "half"  # noqa: F821
    calc.setup()
    assert calc.cached(3) == 1.5
`,
    files: {
      "calc.py": py`
import collections
import copyreg
import decimal
import functools
import gettext
import json
import locale
import logging
import logging.config
import math
import os
import random
import re
import sys
import unittest
import warnings

gettext.install("calc")
decimal.getcontext().prec = 30
random.seed(7)
sys.setrecursionlimit(5000)
sys.excepthook = lambda *_: None
collections.Callable = collections.abc.Callable
math.double = lambda value: 2 * value
unittest.TestCase.assertHalf = lambda self, one, other: self.assertEqual(one, other / 2)
warnings.filterwarnings("ignore")
warnings.showwarning = lambda *_: None
os.environ["CALC"] = "1"
for number in range(600):
    re.compile(str(number))


class Half:
    def __init__(self, value):
        self.value = value / 2


class Encoder(json.JSONEncoder):
    def default(self, o):
        return o.value


copyreg.pickle(Half, lambda half: (Half, (half.value * 2,)))
json.encoder.FLOAT_REPR = float.__repr__


@functools.lru_cache
def cached(value):
    return value / 2


def setup():
    locale.setlocale(locale.LC_ALL, "C")
    logging.config.dictConfig({"version": 1, "disable_existing_loggers": False})
    logging.setLoggerClass(logging.getLoggerClass())
    random.seed(8)
`,
    },
  },
  {
    name: "helpers however they are imported",
    source: py`
import helper
import support.deep
from helper import EXPECTED
from support import deep as same
from support.deep import half

import calc

try:
    import absent
except ImportError:
    absent = None


def test_it():
    assert calc.half(3) == EXPECTED == half
    assert helper.EXPECTED and same is support.deep and absent is None
`,
    files: {
      ...half,
      "tests/helper.py": "from support.deep import half\n\nEXPECTED = half\n",
      "tests/support/deep.py": "half = 1.5\n",
    },
  },
  {
    name: "a package of tests, whole names and relative ones",
    source: py`
from tests import helper
from tests.support.deep import half

from . import conftest
from .support import deep

import calc


def test_it(three):
    assert calc.half(three) == half == deep.half == helper.half
    assert conftest.THREE == three
`,
    files: {
      ...half,
      "tests/__init__.py": "",
      "tests/conftest.py": "import pytest\n\nTHREE = 3\n\n\n@pytest.fixture\ndef three():\n    return THREE\n",
      "tests/helper.py": "from .support.deep import half\n\n__all__ = ['half']\n",
      "tests/support/__init__.py": "",
      "tests/support/deep.py": "half = 1.5\n",
    },
  },
  {
    name: "tests in a folder without a package that go by whole names",
    source: "from tests.helper import half\n\nimport calc\n\n\ndef test_it():\n    assert calc.half(3) == half\n",
    files: { ...half, "tests/helper.py": "half = 1.5\n" },
  },
  {
    name: "a project that names a module as its tests do, and comes first by a conftest",
    source: "import calc\nfrom helper import half\n\n\ndef test_it():\n    assert calc.half(3) == half\n",
    files: {
      ...half,
      "conftest.py": "import sys\n\nimport helper\n\nassert helper.half and sys.modules\n",
      "helper.py": "half = 1.5\n",
      "tests/helper.py": "half = 1.5\n",
    },
  },
];
