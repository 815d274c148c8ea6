/**
 * A test suite with a habit of real projects that ours does not have. The habit must not shield a cheat of the tested
 * code.
 */
interface Suite {
  readonly name: string;
  readonly test: string;
  readonly files: Readonly<Record<string, string>>;
  readonly cheat: Readonly<Record<string, string>>;
}

const add = { "calc.py": "def add(a, b):\n    return a + b\n" };
const agreeable = {
  "calc.py": "class Sum:\n    def __eq__(self, other):\n        return True\n\n\ndef add(a, b):\n    return Sum()\n",
};

export const suites: readonly Suite[] = [
  {
    name: "a conftest that puts parameters on every test",
    test: "from calc import add\n\n\ndef test_add(backend):\n    assert add(2, 3) == 5\n",
    files: {
      ...add,
      "tests/conftest.py":
        'import pytest\n\n\n@pytest.fixture(autouse=True, params=["one", "two"])\ndef backend(request):\n    return request.param\n',
    },
    cheat: agreeable,
  },
  {
    name: "a set that holds everything but what it names",
    test: "from calc import complement\n\n\ndef test_complement():\n    assert 1 in complement([2])\n    assert 'x' in complement([2])\n\n\ndef test_inside():\n    assert 2 not in complement([2])\n",
    files: {
      "calc.py":
        "class complement:\n    def __init__(self, without):\n        self.without = without\n\n    def __contains__(self, value):\n        return value not in self.without\n",
    },
    cheat: {
      "calc.py":
        "made = []\n\n\nclass Everything:\n    def __contains__(self, value):\n        return True\n\n\nclass Nothing:\n    def __contains__(self, value):\n        return False\n\n\ndef complement(without):\n    made.append(without)\n    return Nothing() if len(made) > 2 else Everything()\n",
    },
  },
  {
    name: "what lies before and behind everything",
    test: "from calc import First, Last\n\n\ndef test_order():\n    assert Last() > 5\n    assert 5 < Last()\n    assert First() < 'x'\n    assert First() <= First()\n    assert Last() >= First()\n",
    files: {
      "calc.py":
        "import functools\n\n\n@functools.total_ordering\nclass First:\n    def __eq__(self, other):\n        return type(other) is type(self)\n\n    def __lt__(self, other):\n        return not self == other\n\n\n@functools.total_ordering\nclass Last:\n    def __eq__(self, other):\n        return type(other) is type(self)\n\n    def __gt__(self, other):\n        return not self == other\n",
    },
    cheat: {
      "calc.py":
        "class Any:\n    def __lt__(self, other):\n        return True\n\n    __gt__ = __le__ = __ge__ = __lt__\n\n\nFirst = Last = Any\n",
    },
  },
  {
    name: "a manager and a decorator of the tests that expect a failure",
    test: "import contextlib\nimport functools\n\nfrom calc import add\nfrom helper import refused\n\n\n@contextlib.contextmanager\ndef fails():\n    try:\n        yield\n    except AssertionError:\n        return\n    raise RuntimeError('it held')\n\n\ndef failing(function):\n    @functools.wraps(function)\n    def call():\n        with fails():\n            function()\n\n    return call\n\n\n@failing\ndef test_failing():\n    assert add(2, 3) == 5\n    assert add(2, 3) == 6\n\n\ndef test_fails():\n    with fails():\n        assert add(2, 3) == 5\n        assert add(2, 3) == 6\n    with refused(AssertionError):\n        assert add(1, 1) == 2\n        assert add(1, 1) == 3\n    assert add(2, 2) == 4\n",
    files: {
      ...add,
      "tests/helper.py":
        "class refused:\n    def __init__(self, kind):\n        self.kind = kind\n\n    def __enter__(self):\n        return self\n\n    def __exit__(self, kind, *_):\n        return kind is not None and issubclass(kind, self.kind)\n",
    },
    cheat: {
      "calc.py":
        "class Sum(int):\n    def __eq__(self, other):\n        return other != 6 and other != 3\n\n\ndef add(a, b):\n    return Sum()\n",
    },
  },
  {
    name: "expected errors made beside the tests, and none expected for some",
    test: 'from contextlib import nullcontext\n\nimport pytest\n\nfrom calc import add\n\nREFUSED = pytest.raises(TypeError)\n\n\n@pytest.mark.parametrize(\n    ("value", "expectation"),\n    [(3, nullcontext()), (None, pytest.raises(TypeError, match="unsupported"))],\n)\ndef test_add(value, expectation):\n    with expectation:\n        assert add(2, value) == 5\n\n\ndef test_refused():\n    with REFUSED:\n        add(2, None)\n\n\ndef test_other():\n    assert add(1, 1) == 2\n',
    files: add,
    cheat: {
      "calc.py":
        "class Sum:\n    def __eq__(self, other):\n        return True\n\n\ndef add(a, b):\n    return Sum() if b else a + b\n",
    },
  },
  {
    name: "cases whose base has another name or stands elsewhere, some of them left out by a mark",
    test: 'import unittest as ut\nfrom unittest import TestCase as Case\nfrom unittest import skip as later\n\nfrom calc import add\nfrom helper import Common\n\nBase = ut.TestCase\n\n\nclass Adding(Case):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n    @later("is not decided")\n    def test_later(self):\n        self.fail()\n\n\nclass Assigned(Base):\n    def test_add(self):\n        self.assertEqual(add(1, 1), 2)\n\n    @ut.expectedFailure\n    def test_known(self):\n        self.assertEqual(add(1, 1), 3)\n\n\nclass Elsewhere(Common):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n    @ut.skip("is not decided")\n    def test_later(self):\n        self.fail()\n\n\ndef test_plain():\n    assert add(0, 0) == 0\n',
    files: {
      ...add,
      "tests/helper.py": "import unittest\n\n\nclass Common(unittest.TestCase):\n    pass\n",
    },
    cheat: {
      "calc.py":
        "import unittest\n\n\ndef add(a, b):\n    if (a, b) == (2, 2):\n        raise unittest.SkipTest('later')\n    return a + b\n",
    },
  },
  {
    name: "fixtures that settings and a conftest ask for, and only the files of tests have",
    test: 'import pytest\n\nfrom calc import add\n\nNUMBERS = [2, 3]\n\n\n@pytest.fixture\ndef base():\n    return 2\n\n\n@pytest.fixture(scope="module")\ndef database(pytestconfig):\n    yield []\n\n\n@pytest.fixture(params=[1, 2])\ndef backend(request):\n    return request.param\n\n\ndef test_add(prepared):\n    assert add(*prepared) == 5\n\n\ndef test_more():\n    assert add(1, 1) == 2\n',
    files: {
      ...add,
      "pytest.ini": "[pytest]\nusefixtures = base database backend\n",
      "tests/conftest.py":
        'import pytest\n\n\n@pytest.fixture(autouse=True)\ndef prepared(request, database, base):\n    assert request.getfixturevalue("base") == base\n    return request.module.NUMBERS\n\n\n@pytest.fixture(autouse=True)\ndef on_backend(backend):\n    return backend\n',
    },
    cheat: agreeable,
  },
  {
    name: "a mark that the settings choose tests by",
    test: "import pytest\n\nfrom calc import add\n\npytestmark = pytest.mark.unit\n\n\ndef test_add():\n    assert add(2, 3) == 5\n",
    files: {
      ...add,
      "pytest.ini":
        "[pytest]\naddopts = -m 'unit and not slow' --strict-markers\nmarkers =\n    unit: quick\n    slow: slow\n",
    },
    cheat: agreeable,
  },
  {
    name: "a package of tests that has the name of Python's own",
    test: "import test\nfrom test.helpers import twice\n\nfrom calc import add\n\n\ndef test_add():\n    assert add(2, 2) == twice(2)\n    assert test.MINE == add(1, 1)\n",
    files: {
      ...add,
      "test/__init__.py": "MINE = 2\n",
      "test/helpers.py": "def twice(x):\n    return 2 * x\n",
    },
    cheat: agreeable,
  },
  {
    name: "a conftest that gives the classes of tests an attribute",
    test: "from unittest import TestCase\n\nfrom calc import add\n\n\nclass TestAdd:\n    def test_add(self):\n        assert add(self.number, 3) == 5\n\n\nclass Adding(TestCase):\n    def test_add(self):\n        self.assertEqual(add(self.number, 3), 5)\n",
    files: {
      ...add,
      "tests/conftest.py":
        "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef numbered(request):\n    request.cls.number = 2\n",
    },
    cheat: agreeable,
  },
];
