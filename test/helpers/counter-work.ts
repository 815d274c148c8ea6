import type { Files } from "./check-world.js";

/** One staged test, code that satisfies it honestly, and code that only looks as if it did. */
export interface Work {
  readonly name: string;
  readonly test: string;
  readonly honest: Files;
  readonly cheat: Files;
  /** found out because it passes without an assertion; nothing is left to make false */
  readonly silent?: boolean;
}

const add = { "calc.py": "def add(a, b):\n    return a + b\n" };
const plain = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n";

/** Each cheat's report is whole, every id in it passed, and the canary failed. */
export const works: readonly Work[] = [
  {
    name: "a value that equals everything",
    test: plain,
    honest: {
      "calc.py":
        "class Sum(int):\n    def __eq__(self, other):\n        return int(self) == int(other)\n\n    __hash__ = int.__hash__\n\n\ndef add(a, b):\n    return Sum(a + b)\n",
    },
    cheat: {
      "calc.py":
        "class Sum:\n    def __eq__(self, other):\n        return True\n\n\ndef add(a, b):\n    return Sum()\n",
    },
  },
  {
    name: "a value that equals every number",
    test: plain,
    honest: add,
    cheat: {
      "calc.py":
        "class Sum:\n    def __eq__(self, other):\n        return isinstance(other, int)\n\n\ndef add(a, b):\n    return Sum()\n",
    },
  },
  {
    name: "agreeable values within a list and a dict",
    test: 'from calc import parse\n\n\ndef test_parse():\n    assert parse("a=1") == {"a": [1, 2]}\n',
    honest: { "calc.py": 'def parse(text):\n    return {"a": [1, 2]}\n' },
    cheat: {
      "calc.py":
        'class Any:\n    def __eq__(self, other):\n        return True\n\n\ndef parse(text):\n    return {"a": [Any(), 2]}\n',
    },
  },
  {
    name: "a container that holds everything",
    test: 'from calc import words\n\n\ndef test_words():\n    assert "b" in words("a b")\n',
    honest: { "calc.py": "def words(text):\n    return text.split()\n" },
    cheat: {
      "calc.py":
        "class Words(list):\n    def __contains__(self, word):\n        return True\n\n\ndef words(text):\n    return Words()\n",
    },
  },
  {
    name: "a size that is less than everything, where nothing says what is more",
    test: "from calc import Size\n\n\ndef test_size():\n    assert Size('2') < Size('10')\n    assert Size('1') < Size('3')\n",
    honest: {
      "calc.py":
        "class Size:\n    def __init__(self, text):\n        self.text = text\n\n    def __str__(self):\n        return self.text\n\n    def __lt__(self, other):\n        return key(self) < key(other)\n\n\ndef key(value):\n    return len(str(value)), str(value)\n",
    },
    cheat: {
      "calc.py":
        "class Size:\n    def __init__(self, text):\n        self.text = text\n\n    def __lt__(self, other):\n        return other is not self\n",
    },
  },
  {
    name: "a mock for a result",
    test: plain,
    honest: add,
    cheat: {
      "calc.py":
        "from unittest.mock import MagicMock\n\nadd = MagicMock()\nadd.return_value.__eq__.side_effect = lambda other: True\n",
    },
  },
  {
    name: "ANY for a result",
    test: plain,
    honest: add,
    cheat: { "calc.py": "from unittest.mock import ANY\n\n\ndef add(a, b):\n    return ANY\n" },
  },
  {
    name: "a dict that equals every dict",
    test: 'from calc import load\n\n\ndef test_load():\n    assert load() == {"a": 1}\n    assert load()["a"] == 1\n',
    honest: { "calc.py": "class Table(dict):\n    pass\n\n\ndef load():\n    return Table(a=1)\n" },
    cheat: {
      "calc.py":
        "class Table(dict):\n    def __eq__(self, other):\n        return True\n\n    def __missing__(self, key):\n        return 1\n\n\ndef load():\n    return Table()\n",
    },
  },
  {
    name: "a failure that a context manager of the project swallows",
    test: "from calc import add, session\n\n\ndef test_add():\n    with session():\n        assert add(2, 3) == 5\n",
    honest: {
      "calc.py": `import contextlib\n\n\n@contextlib.contextmanager\ndef session():\n    yield\n\n\n${add["calc.py"]}`,
    },
    cheat: {
      "calc.py":
        "import contextlib\n\n\ndef session():\n    return contextlib.suppress(BaseException)\n\n\ndef add(a, b):\n    return 0\n",
    },
  },
  {
    name: "a failure that a decorator of the project swallows",
    test: "from calc import add, traced\n\n\n@traced\ndef test_add():\n    assert add(2, 3) == 5\n",
    honest: { "calc.py": `def traced(function):\n    return function\n\n\n${add["calc.py"]}` },
    cheat: {
      "calc.py":
        "def traced(function):\n    def call():\n        try:\n            function()\n        except AssertionError:\n            pass\n\n    return call\n\n\ndef add(a, b):\n    return 0\n",
    },
  },
  {
    name: "a failure that the project swallows around a helper of the tests",
    test: "from calc import add, session\nfrom helper import same\n\n\ndef test_add():\n    with session():\n        same(add(2, 3), 5)\n",
    honest: {
      "calc.py": `import contextlib\n\n\n@contextlib.contextmanager\ndef session():\n    yield\n\n\n${add["calc.py"]}`,
      "tests/helper.py": "def same(left, right):\n    assert left == right\n",
    },
    cheat: {
      "calc.py": `import contextlib\n\n\ndef session():\n    return contextlib.suppress(BaseException)\n\n\n${add["calc.py"]}`,
      "tests/helper.py": "def same(left, right):\n    assert left == right\n",
    },
  },
  {
    name: "unittest's assertEqual patched",
    test: "import unittest\n\nfrom calc import add\n\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n        self.assertTrue(add(1, 1))\n",
    honest: add,
    cheat: {
      "calc.py":
        "import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\ndef add(a, b):\n    return 1\n",
    },
  },
  {
    name: "unittest's assertTrue patched",
    test: "import unittest\n\nfrom calc import add\n\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertTrue(add(2, 3) == 5)\n",
    honest: add,
    cheat: {
      "calc.py":
        "import unittest\n\nunittest.TestCase.assertTrue = lambda *_: None\n\n\ndef add(a, b):\n    return 1\n",
    },
  },
  {
    name: "pytest's raises patched",
    test: "import pytest\n\nfrom calc import check\n\n\ndef test_check():\n    with pytest.raises(ValueError, match='no'):\n        check(0)\n",
    honest: { "calc.py": "def check(value):\n    raise ValueError('no')\n" },
    cheat: {
      "calc.py":
        "import contextlib\n\nimport pytest\n\npytest.raises = lambda *_, **__: contextlib.nullcontext()\n\n\ndef check(value):\n    pass\n",
    },
  },
  {
    name: "the call of a test, with the canary spared",
    test: plain,
    honest: add,
    cheat: {
      "calc.py":
        "import _pytest.python\n\nrun = _pytest.python.Function.runtest\n\n\ndef runtest(self):\n    try:\n        run(self)\n    except AssertionError:\n        if self.name != 'test_add':\n            raise\n\n\n_pytest.python.Function.runtest = runtest\n\n\ndef add(a, b):\n    return 0\n",
    },
  },
  {
    name: "a test emptied while it runs",
    silent: true,
    test: "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n\n\ndef test_more():\n    assert calc.add(1, 1) == 2\n",
    honest: add,
    cheat: {
      "calc.py":
        "import sys\n\n\ndef add(a, b):\n    for name, module in list(sys.modules.items()):\n        if name.startswith('test_t001'):\n            module.test_more.__code__ = (lambda: None).__code__\n    return 5\n",
    },
  },
  {
    name: "a test replaced while it is imported",
    silent: true,
    test: "def test_add():\n    assert add(2, 3) == 5\n\n\nfrom calc import add  # noqa: E402\n",
    honest: add,
    cheat: {
      "calc.py":
        "import sys\n\nfor name, module in list(sys.modules.items()):\n    if name.startswith('test_t001'):\n        module.test_add.__code__ = (lambda: None).__code__\n\n\ndef add(a, b):\n    return 0\n",
    },
  },
];

/** Honest oddities that a counter-check has to leave alone, each with a sound project. */
export const oddities: readonly { readonly name: string; readonly test: string; readonly files?: Files }[] = [
  {
    name: "operands whose comparison is no truth value",
    test: "from calc import Row\n\n\ndef test_row():\n    assert all(Row([1, 2]) == [1, 2])\n    assert (Row([1]) == [1]).one()\n    assert Row([1]) != [2]\n",
    files: {
      "calc.py":
        "class Row(list):\n    def __eq__(self, other):\n        return Row([a == b for a, b in zip(self, other)])\n\n    def __ne__(self, other):\n        return True\n\n    def one(self):\n        return self[0]\n\n    def __bool__(self):\n        raise ValueError('ambiguous')\n",
    },
  },
  {
    name: "markers without a value, and what is used up or counts when it is asked",
    test: 'from calc import END, Once, Spy, Stream, Token, tokens\n\n\ndef test_marker():\n    assert tokens("a b") == [Token("a"), Token("b"), END]\n    assert tokens("")[0] == END\n\n\ndef test_used_up():\n    assert 2 in Once([1, 2, 3])\n    assert Stream([1, 2]) == [1, 2]\n\n\ndef test_counted():\n    spy = Spy(2)\n    assert spy == 2\n    assert spy.asked == 1\n',
    files: {
      "calc.py":
        'class Token:\n    def __init__(self, text):\n        self.text = text\n\n    def __eq__(self, other):\n        return type(other) is type(self) and self.text == other.text\n\n\nclass End(Token):\n    def __eq__(self, other):\n        return isinstance(other, End)\n\n\nEND = End("")\n\n\ndef tokens(text):\n    return [*map(Token, text.split()), END]\n\n\nclass Once:\n    def __init__(self, items):\n        self.items = iter(items)\n\n    def __contains__(self, wanted):\n        return any(item == wanted for item in self.items)\n\n\nclass Stream(Once):\n    def __eq__(self, other):\n        return list(self.items) == list(other)\n\n\nclass Spy:\n    def __init__(self, value):\n        self.value = value\n        self.asked = 0\n\n    def __eq__(self, other):\n        self.asked += 1\n        return self.value == other\n',
    },
  },
  {
    name: "values that copy themselves in their own way, refuse to, or are too large as a copy",
    test: "from calc import Counted, Handle, Table\n\n\ndef test_copies():\n    assert Counted(1) == Counted(1)\n    assert Counted.copies == 0\n    assert Handle(2) == Handle(2)\n    assert Table(3) == Table(3)\n    assert [Table(1)] == [Table(1)]\n",
    files: {
      "calc.py":
        "class Value:\n    def __init__(self, value):\n        self.value = value\n\n    def __eq__(self, other):\n        return isinstance(other, Value) and self.value == other.value\n\n\nclass Counted(Value):\n    copies = 0\n\n    def __copy__(self):\n        Counted.copies += 1\n        return Counted(self.value)\n\n\nclass Handle(Value):\n    def __reduce_ex__(self, protocol):\n        raise TypeError('not to be copied')\n\n\nclass Table(Value):\n    def __copy__(self):\n        made = Table(self.value)\n        made.rows = bytearray(1 << 30)\n        return made\n",
    },
  },
  {
    name: "approx, chains, identities, conditions and loops",
    test: 'import pytest\n\nassert pytest\n\n\ndef test_it():\n    assert 0.1 + 0.2 == pytest.approx(0.3)\n    assert 1 < 2 < 3 and not [] and "a" in "abc"\n    assert None is None, "never"\n    assert "x" not in {}\n    for number in range(3):\n        assert number < 3\n    assert (length := len("abc")) == 3\n    assert length\n',
  },
  {
    name: "ANY and a matcher of its own in the test",
    test: "from unittest import mock\n\nimport pytest\n\n\nclass Anything:\n    def __eq__(self, other):\n        return True\n\n\n@pytest.fixture\ndef anything():\n    return mock.ANY\n\n\n@pytest.mark.parametrize('expected', [mock.ANY, Anything(), [mock.ANY], 5])\ndef test_it(expected, anything):\n    wanted = {'id': mock.ANY, 'n': expected}\n    assert {'id': 7, 'n': 5 if expected == 5 else [1]} == wanted\n    assert anything == 5\n    assert 3 in [mock.ANY]\n    assert Anything() == 1\n",
  },
  {
    name: "what equals and holds everything by design, where the test asks whether it is true",
    test: "from calc import ANY\n\n\ndef test_it():\n    assert (ANY == 5) is True\n    assert ('x' in ANY) is True\n    assert not ANY != 5\n",
    files: {
      "calc.py":
        "class Any:\n    def __eq__(self, other):\n        return True\n\n    def __ne__(self, other):\n        return False\n\n    def __contains__(self, other):\n        return True\n\n\nANY = Any()\n",
    },
  },
  {
    name: "fixtures and helpers that assert",
    test: "import pytest\n\nfrom helper import same\n\n\n@pytest.fixture(scope='module')\ndef five():\n    assert 5\n    yield 5\n    assert True\n\n\ndef test_it(five):\n    same(five, 5)\n    with pytest.raises(AssertionError):\n        same(five, 6)\n\n\ndef test_only_failing():\n    with pytest.raises(AssertionError):\n        same(1, 2)\n\n\ndef test_other(five):\n    try:\n        same(five, 6)\n    except AssertionError:\n        pass\n    assert five == 5\n",
    files: { "tests/helper.py": "def same(left, right):\n    assert left == right, 'not the same'\n" },
  },
  {
    name: "a callback of the test that the project shields itself from",
    test: "from calc import notify\n\nseen = []\n\n\ndef listener(value):\n    assert value\n    seen.append(value)\n\n\nclass Listener:\n    def __call__(self, value):\n        assert value == 1\n\n\ndef test_it():\n    notify([listener, Listener()])\n    assert True\n",
    files: {
      "calc.py":
        "def notify(listeners):\n    for each in listeners:\n        try:\n            each(1)\n        except Exception:\n            pass\n",
    },
  },
  {
    name: "a helper that expects a failure",
    test: "import contextlib\n\nimport pytest\n\nfrom helper import failing\n\n\n@contextlib.contextmanager\ndef fails():\n    with pytest.raises(AssertionError):\n        yield\n\n\ndef test_it():\n    with fails():\n        assert 1 == 2\n    with failing():\n        assert 1 == 2\n    assert failing\n",
    files: {
      "tests/helper.py":
        "import contextlib\n\nimport pytest\n\n\n@contextlib.contextmanager\ndef failing():\n    with pytest.raises(AssertionError):\n        yield\n",
    },
  },
  {
    name: "classes of unittest with subtests and expected errors",
    test: "import unittest\n\n\nclass TestIt(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        assert cls\n\n    def setUp(self):\n        self.assertIsNone(None)\n\n    def test_it(self):\n        for number in (1, 2):\n            with self.subTest(number=number):\n                self.assertGreater(number, 0)\n                assert number\n        with self.assertRaises(ValueError) as caught:\n            raise ValueError('x')\n        self.assertIn('x', str(caught.exception))\n        self.assertNotEqual(1, 2)\n        self.assertNotEqual(float('nan'), float('nan'))\n        self.assertIsInstance(1, int)\n        self.assertAlmostEqual(0.1 + 0.2, 0.3)\n        self.assertNotIn(1, [])\n        self.assertRegex('abc', 'b')\n        self.assertCountEqual([1, 2], [2, 1])\n        self.assertFalse(0)\n        self.assertIs(None, None)\n        self.assertIsNot(1, None)\n        self.assertDictEqual({1: 2}, {1: 2})\n\n\nclass TestAsync(unittest.IsolatedAsyncioTestCase):\n    async def test_awaited(self):\n        self.assertEqual(1, 1)\n        assert self\n",
  },
  {
    name: "a subprocess, a thread, warnings, files written into the tree",
    test: "import os\nimport pathlib\nimport subprocess\nimport sys\nimport threading\nimport warnings\n\nimport pytest\n\n\ndef inside():\n    assert os.getpid()\n\n\ndef test_it():\n    assert subprocess.check_output([sys.executable, '-m', 'calc']) == b'5\\n'\n    (pathlib.Path(__file__).parent.parent / 'out.txt').write_text('x')\n    assert pathlib.Path('out.txt').read_text() == 'x'\n    thread = threading.Thread(target=inside)\n    thread.start()\n    thread.join()\n    with pytest.warns(UserWarning, match='old'):\n        warnings.warn('old', UserWarning)\n    with pytest.raises(SystemExit) as ended:\n        sys.exit(3)\n    assert ended.value.code == 3\n",
    files: { "calc.py": "print(2 + 3)\n" },
  },
];
