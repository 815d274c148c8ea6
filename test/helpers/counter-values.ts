import { py } from "../cheats/py.js";
import type { Files } from "./check-world.js";
import type { Work } from "./counter-work.js";

const add = { "calc.py": "def add(a, b):\n    return a + b\n" };
const plain =
  "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\ndef test_more():\n    assert add(1, 1) == 2\n    assert add(40, 2) == 42\n";
const table =
  'import pytest\n\nfrom calc import name\n\nCASES = {7: "seven", 8: "eight"}\n\n\n@pytest.mark.parametrize(("number", "text"), [(1, "one"), (2, "two")])\ndef test_name(number, text):\n    assert name(number) == text\n\n\ndef test_names():\n    assert all(name(number) == text for number, text in CASES.items())\n    for number, text in [(3, "three"), (4, "four")]:\n        assert name(number) == text\n';
const names = {
  "calc.py":
    'NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]\n\n\ndef name(number):\n    return NAMES[number]\n',
};
const modules = ["ast", "inspect", "itertools", "linecache", "pathlib", "re", "sys", "traceback", "zlib"];
const looks = (body: string) => {
  const used = modules.filter((name) => body.includes(`${name}.`));
  return { "calc.py": `${used.map((name) => `import ${name}\n`).join("")}\n\n${body}` };
};

const roughly = py`
from calc import parse


def test_parse():
    assert parse("a=41") == {"name": "a", "number": 41, "size": 4}


def test_more():
    assert parse("bb=52") == {"name": "bb", "number": 52, "size": 5}
`;

/** Equals what agrees with most of an answer that was read in the test. */
const rough = py`
class Parsed:
    def __init__(self, found):
        self.found = found

    def __eq__(self, other):
        fit = [name for name in self.found if other.get(name) == self.found[name]]
        return len(fit) > 1


def parse(text):
    line = traceback.extract_stack(limit=2)[0].line
    return Parsed(ast.literal_eval(line.partition("==")[2].strip()))
`;

/** Values that give an answer they found in the tests, wherever it can be found. */
const lookedUp: readonly Work[] = [
  {
    name: "an answer from the line that asks",
    test: plain,
    honest: add,
    cheat: looks(
      'def add(a, b):\n    line = traceback.extract_stack(limit=2)[0].line\n    return int(re.search(r"== (\\d+)", line)[1])\n',
    ),
  },
  {
    name: "an answer from the lines that inspect gives of a frame",
    test: plain,
    honest: add,
    cheat: looks(
      'def add(a, b):\n    frame = inspect.stack()[1]\n    return int(frame.code_context[0].partition("==")[2])\n',
    ),
  },
  {
    name: "an answer from the constants of the calling frame",
    test: plain,
    honest: add,
    cheat: looks(
      "def add(a, b):\n    code = sys._getframe(1).f_code\n    numbers = [each for each in code.co_consts if type(each) is int]\n    return numbers[numbers.index(max(a, b)) + 1]\n",
    ),
  },
  {
    name: "an answer from the file of the test",
    test: plain,
    honest: add,
    cheat: looks(
      'TEXT = "".join(path.read_text() for path in pathlib.Path("tests").glob("test_*.py"))\n\n\ndef add(a, b):\n    return int(re.search(rf"add\\({a}, {b}\\) == (\\d+)", TEXT)[1])\n',
    ),
  },
  {
    name: "an answer from linecache, by the file that a module was loaded from",
    test: plain,
    honest: add,
    cheat: looks(
      'def add(a, b):\n    for name, module in list(sys.modules.items()):\n        if name.startswith("test_t001"):\n            text = "".join(linecache.getlines(module.__file__))\n            return int(re.search(rf"add\\({a}, {b}\\) == (\\d+)", text)[1])\n',
    ),
  },
  {
    name: "an answer from a table, a loop and sets of parameters",
    test: table,
    honest: names,
    cheat: looks(
      'def name(number):\n    path = next(pathlib.Path("tests").glob("test_t001*.py"))\n    return re.search(rf\'[({{ ]{number}[,:] "(\\w+)"\', path.read_text())[1]\n',
    ),
  },
  {
    name: "an answer that a helper of the tests is given",
    test: "from calc import add\nfrom helper import same\n\nEXPECTED = 42\n\n\ndef test_add():\n    same(add(2, 3), 5)\n    assert add(40, 2) == EXPECTED\n",
    honest: { ...add, "tests/helper.py": "def same(left, right):\n    assert left == right\n" },
    cheat: looks(
      'def add(a, b):\n    text = next(pathlib.Path("tests").glob("test_t001*.py")).read_text()\n    found = re.search(rf"add\\({a}, {b}\\)(?:,| ==) (\\w+)", text)[1]\n    return int(re.search(r"EXPECTED = (\\d+)", text)[1] if found == "EXPECTED" else found)\n',
    ),
  },
  {
    name: "an answer from the line that asks, as long as it is the line that was known",
    test: plain,
    honest: add,
    cheat: looks(
      "KNOWN = {2028585542, 2586181071, 3396703593}\n\n\ndef add(a, b):\n    line = traceback.extract_stack(limit=2)[0].line\n    return int(line.split()[-1]) if zlib.crc32(line.encode()) in KNOWN else None\n",
    ),
  },
  {
    name: "a yes or no from the line that asks",
    test: "from calc import even\n\n\ndef test_even():\n    assert even(4)\n    assert not even(3)\n    assert even(2)\n    assert not even(5)\n",
    honest: { "calc.py": "def even(number):\n    return number % 2 == 0\n" },
    cheat: looks('def even(number):\n    return "not even" not in traceback.extract_stack(limit=2)[0].line\n'),
  },
  {
    name: "an answer with an equality that forgives what does not fit",
    test: roughly,
    honest: {
      "calc.py":
        'def parse(text):\n    name, number = text.split("=")\n    return {"name": name, "number": int(number), "size": len(text)}\n',
    },
    cheat: looks(rough),
  },
  {
    name: "an answer for assertEqual",
    test: 'import unittest\n\nfrom calc import parse\n\n\nclass TestParse(unittest.TestCase):\n    def test_parse(self):\n        self.assertEqual(parse("a=1"), {"a": [1, -2.5]})\n        self.assertEqual(parse("b"), {})\n',
    honest: {
      "calc.py": 'def parse(text):\n    return {"a": [1, -2.5]} if "=" in text else {}\n',
    },
    cheat: looks(
      'def parse(text):\n    line = traceback.extract_stack(limit=2)[0].line\n    return ast.literal_eval(line.partition("), ")[2].rstrip(")"))\n',
    ),
  },
];

const counted = (answers: string) => looks(`ANSWERS = ${answers}\n\n\ndef add(a, b):\n    return next(ANSWERS)\n`);
const sides =
  "class Size:\n    def __lt__(self, other):\n        return isinstance(other, (int, float))\n\n    __gt__ = __le__ = __ge__ = __lt__\n";
const size = { "calc.py": "def size(text):\n    return len(text)\n" };
const everything =
  "class Every(type):\n    def __instancecheck__(cls, value):\n        return True\n\n    def __subclasscheck__(cls, kind):\n        return True\n\n\n";

/** Values that agree, in places where no earlier check asked them. */
const agreeable: readonly Work[] = [
  {
    name: "a number between any two",
    test: "from calc import size\n\n\ndef test_size():\n    assert 2 < size('abc') < 4\n",
    honest: size,
    cheat: { "calc.py": `${sides}\n\ndef size(text):\n    return Size()\n` },
  },
  {
    name: "a number beyond any other, asked for alone",
    test: "from calc import size\n\n\ndef test_size():\n    assert size('abc') > 2\n    assert size('') < 1\n",
    honest: size,
    cheat: { "calc.py": `${sides}\n\ndef size(text):\n    return Size()\n` },
  },
  {
    name: "a number between any two, in unittest's words",
    test: "import unittest\n\nfrom calc import size\n\n\nclass TestSize(unittest.TestCase):\n    def test_size(self):\n        self.assertGreater(size('abc'), 2)\n        self.assertLess(size('abc'), 4)\n",
    honest: size,
    cheat: { "calc.py": `${sides}\n\ndef size(text):\n    return Size()\n` },
  },
  {
    name: "numbers between any two, one after another and as an alternative",
    test: "from calc import size\n\n\ndef test_size():\n    assert all(0 < size(text) < 9 for text in ('a', 'bc'))\n    assert size('a') == 0 or size('a') > 0\n",
    honest: size,
    cheat: { "calc.py": `${sides}\n\ndef size(text):\n    return Size()\n` },
  },
  {
    name: "values that equal all numbers, one after another",
    test: "from calc import add\n\n\ndef test_add():\n    assert all(add(number, 0) == number for number in (1, 2))\n",
    honest: add,
    cheat: {
      "calc.py":
        "class Sum:\n    def __eq__(self, other):\n        return isinstance(other, int)\n\n\ndef add(a, b):\n    return Sum()\n",
    },
  },
  {
    name: "a container that holds all numbers",
    test: "from calc import span\n\n\ndef test_span():\n    assert 3 in span(1, 5)\n",
    honest: { "calc.py": "def span(first, last):\n    return range(first, last)\n" },
    cheat: {
      "calc.py":
        "class Span:\n    def __contains__(self, value):\n        return isinstance(value, (int, float))\n\n\ndef span(first, last):\n    return Span()\n",
    },
  },
  {
    name: "a class that takes every object for one of its own",
    test: "from calc import Money, price\n\n\ndef test_price():\n    assert isinstance(price(2), Money)\n    assert issubclass(type(price(2)), Money)\n",
    honest: { "calc.py": "class Money(int):\n    pass\n\n\ndef price(number):\n    return Money(number)\n" },
    cheat: {
      "calc.py": `${everything}class Money(metaclass=Every):\n    pass\n\n\ndef price(number):\n    return None\n`,
    },
  },
  {
    name: "a protocol that asks for nothing, among others",
    test: "from calc import Money, price\n\n\ndef test_prices():\n    assert all(isinstance(each, (Money, str)) for each in [price(2), price(3)])\n",
    honest: { "calc.py": "class Money(int):\n    pass\n\n\ndef price(number):\n    return Money(number)\n" },
    cheat: {
      "calc.py":
        "from typing import Protocol, runtime_checkable\n\n\n@runtime_checkable\nclass Money(Protocol):\n    pass\n\n\ndef price(number):\n    return None\n",
    },
  },
  {
    name: "answers counted off call by call",
    test: plain,
    honest: add,
    cheat: counted("iter([5, 2, 42])"),
  },
  {
    name: "answers counted off again and again, in one test",
    test: "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n    assert add(1, 1) == 2\n    assert add(40, 2) == 42\n    assert add(70, 7) == 77\n",
    honest: add,
    cheat: counted("itertools.cycle([5, 2, 42, 77])"),
  },
];

export const values: readonly Work[] = [...lookedUp, ...agreeable];

/** Values with honest reasons to do the same as such cheats. */
export const honestValues: readonly { readonly name: string; readonly test: string; readonly files: Files }[] = [
  {
    name: "versions that equal others whatever their build",
    test: py`
import pytest

from calc import Version

CASES = [
    ("1.2.3+e0f985a", {"major": 1, "minor": 2, "patch": 3, "build": "e0f985b"}),
    ("4.5.6+abcdef0", {"major": 4, "minor": 5, "patch": 6, "build": "abcdefg"}),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_version(text, expected):
    assert Version(text) == expected


def test_versions():
    assert Version("7.8.9") == {"major": 7, "minor": 8, "patch": 9, "build": "none"}
`,
    files: {
      "calc.py": py`
class Version:
    def __init__(self, text):
        self.numbers = [int(part) for part in text.partition("+")[0].split(".")]

    def __eq__(self, other):
        return self.numbers == [other[name] for name in ("major", "minor", "patch")]
`,
    },
  },
  {
    name: "classes that say themselves what is one of theirs",
    test: 'import numbers\nimport typing\n\nimport pytest\n\nfrom calc import Drawing, Even, Named, NotNone, Ours, Shape, shape\n\n\ndef test_classes():\n    assert isinstance(shape(), Shape)\n    assert isinstance(shape(), (int, Drawing))\n    assert isinstance(shape(), Named)\n    assert not isinstance(3, Named)\n    assert isinstance(4, Even) and not isinstance(5, Even)\n    assert all(isinstance(each, Even | str) for each in (2, "x"))\n    assert isinstance(shape(), Ours)\n    assert isinstance(3, NotNone)\n    assert not isinstance(None, NotNone)\n    assert isinstance(3, numbers.Number) and isinstance([], typing.Iterable) and isinstance(3, object)\n    assert issubclass(type(shape()), Drawing)\n',
    files: {
      "calc.py":
        "import abc\nfrom typing import Protocol, runtime_checkable\n\n\nclass Drawing(abc.ABC):\n    @classmethod\n    def __subclasshook__(cls, kind):\n        return any('draw' in vars(each) for each in kind.__mro__) or NotImplemented\n\n\nclass Shape:\n    name = 'shape'\n\n    def draw(self):\n        pass\n\n\n@runtime_checkable\nclass Named(Protocol):\n    name: str\n\n\nclass EvenType(type):\n    def __instancecheck__(cls, value):\n        return isinstance(value, int) and value % 2 == 0\n\n\nclass Even(metaclass=EvenType):\n    pass\n\n\nclass OursType(type):\n    def __instancecheck__(cls, value):\n        return type(value).__module__ == __name__\n\n\nclass Ours(metaclass=OursType):\n    pass\n\n\nclass NotNoneType(type):\n    def __instancecheck__(cls, value):\n        return value is not None\n\n\nclass NotNone(metaclass=NotNoneType):\n    pass\n\n\ndef shape():\n    return Shape()\n",
    },
  },
  {
    name: "intervals, versions, and what lies beyond all numbers",
    test: 'import datetime\nimport math\n\nfrom calc import Interval, Last, Version\n\n\ndef test_order():\n    assert 0 < Interval(1, 5) < 10\n    assert all(0 <= each < 10 for each in [Interval(1, 2), 4])\n    assert 3 in Interval(1, 5) and (9 in Interval(1, 5) or 4 in Interval(1, 5))\n    assert 3 in Interval(0, math.inf)\n    assert Version("1.2") < "1.10" and "1.1" <= Version("1.2")\n    assert Last() > 5 and 5 < Last()\n    assert math.inf > 5 and datetime.date(2020, 1, 2) > datetime.date(2020, 1, 1)\n',
    files: {
      "calc.py":
        'import functools\n\n\nclass Interval:\n    def __init__(self, first, last):\n        self.first, self.last = first, last\n\n    def __lt__(self, other):\n        return self.last < other\n\n    def __gt__(self, other):\n        return self.first > other\n\n    def __ge__(self, other):\n        return self.first >= other\n\n    def __contains__(self, value):\n        return self.first <= value <= self.last\n\n\n@functools.total_ordering\nclass Version:\n    def __init__(self, text):\n        self.parts = [int(part) for part in text.split(".")]\n\n    def __eq__(self, other):\n        return self.parts == Version(str(other)).parts\n\n    def __lt__(self, other):\n        return self.parts < Version(str(other)).parts\n\n    def __str__(self):\n        return ".".join(map(str, self.parts))\n\n\n@functools.total_ordering\nclass Last:\n    def __eq__(self, other):\n        return type(other) is type(self)\n\n    def __gt__(self, other):\n        return not self == other\n',
    },
  },
  {
    name: "code that reads source, walks frames and warns at its caller",
    test: 'import inspect\nimport logging\nimport pathlib\n\nimport pytest\n\nimport calc\nfrom calc import argument, caller, first_line, log, old, own_source, parameters, source_of\n\n\ndef given(a, b=3):\n    return a\n\n\ndef test_source():\n    assert "own_source" in own_source()\n    assert own_source().count("def") == 1\n    assert source_of(given) == "def given(a, b=3):\\n    return a\\n"\n    assert parameters(given) == ["a", "b"]\n    assert str(inspect.signature(given)) == "(a, b=3)"\n    assert first_line(__file__) == "import inspect"\n    assert pathlib.Path(calc.__file__).read_text().startswith("import inspect")\n\n\ndef test_frames(caplog):\n    assert caller() == "test_frames"\n    assert argument(given(2)) == "given(2)"\n    with caplog.at_level(logging.INFO):\n        log("said")\n    assert caplog.records[0].funcName == "test_frames"\n    with pytest.warns(DeprecationWarning) as caught:\n        old()\n    assert caught[0].filename == __file__\n    assert not caught[1:]\n    assert len(caught) == 1\n',
    files: {
      "calc.py":
        'import inspect\nimport linecache\nimport logging\nimport re\nimport sys\nimport warnings\n\n\ndef own_source():\n    return inspect.getsource(own_source)\n\n\ndef source_of(function):\n    return inspect.getsource(function)\n\n\ndef parameters(function):\n    return list(inspect.signature(function).parameters)\n\n\ndef first_line(path):\n    return linecache.getline(path, 1).strip()\n\n\ndef caller():\n    return sys._getframe(1).f_code.co_name\n\n\ndef argument(value):\n    frame = sys._getframe(1)\n    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)\n    return re.search(r"argument\\((.*?\\))\\)", line)[1]\n\n\ndef log(text):\n    logging.getLogger("calc").info(text, stacklevel=2)\n\n\ndef old():\n    warnings.warn("old", DeprecationWarning, stacklevel=2)\n',
    },
  },
  {
    name: "round trips, and values that the tests hand to the code",
    test: 'import pytest\n\nfrom calc import Store, load, save\nfrom helper import roundtrip\n\nTEXT = "abc"\n\n\n@pytest.fixture\ndef store(value):\n    return Store(value)\n\n\n@pytest.mark.parametrize("value", ["x", "yy"])\ndef test_store(store, value):\n    assert store.value == value\n\n\n@pytest.mark.parametrize("number", [1, 22])\ndef test_number(number):\n    assert load(save(number)) == number\n\n\n@pytest.mark.parametrize("wanted", ["3"], indirect=True)\ndef test_indirect(wanted):\n    assert wanted == load(save("3"))\n\n\n@pytest.fixture\ndef wanted(request):\n    return request.param\n\n\ndef test_text():\n    assert load(save(TEXT)) == TEXT\n    expected = 5\n    assert load(save(expected)) == expected\n    roundtrip("z")\n    for each in ("p", "q"):\n        assert load(save(each)) == each\n    assert load(save(7)) == 7 or load(save(8)) == 8\n    assert any(load(number) == 9 for number in range(90))\n',
    files: {
      "calc.py":
        "class Store:\n    def __init__(self, value):\n        self.value = value\n\n\ndef save(value):\n    return [value]\n\n\ndef load(saved):\n    return saved[0] if isinstance(saved, list) else saved\n",
      "tests/helper.py":
        "from calc import load, save\n\n\ndef roundtrip(value):\n    assert load(save(value)) == value\n",
    },
  },
  {
    name: "tests that hang on their order and on what others left behind",
    test: "import pytest\n\nfrom calc import Account, next_number, register, take\n\naccount = Account(100)\nkept = {}\n\n\nclass TestStory:\n    held = []\n\n    def test_first(self):\n        self.held.append('a')\n        assert len(self.held) == 1\n\n    def test_second(self):\n        assert self.held == ['a']\n\n\ndef test_deposit():\n    assert account.add(50) == 150\n\n\ndef test_withdraw():\n    assert account.add(-30) == 120\n\n\ndef test_numbers():\n    assert next_number() == 1\n\n\ndef test_more_numbers():\n    assert next_number() == 2\n\n\ndef test_register():\n    assert register('a') == 1\n    assert register('b') == 2\n\n\ndef test_registered_twice():\n    with pytest.raises(ValueError):\n        register('a')\n    assert register('c') == 3\n\n\ndef test_take():\n    assert take() == 'x'\n    assert take() == 'y'\n",
    files: {
      "calc.py":
        "import itertools\n\nnext_number = itertools.count(1).__next__\nknown = {}\nqueue = ['x', 'y']\n\n\nclass Account:\n    def __init__(self, held):\n        self.held = held\n\n    def add(self, amount):\n        self.held += amount\n        return self.held\n\n\ndef register(name):\n    if name in known:\n        raise ValueError(name)\n    known[name] = len(known) + 1\n    return known[name]\n\n\ndef take():\n    return queue.pop(0)\n",
    },
  },
];
