import { py } from "../cheats/py.js";
import type { Files } from "./check-world.js";
import type { Work } from "./counter-work.js";

const add = { "calc.py": "def add(a, b):\n    return a + b\n" };
const plain = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n";
const things = "from calc import things\n\n\ndef test_things():\n    assert 3 in things()\n";
const honestThings = { "calc.py": "def things():\n    return [3]\n" };
const parse = 'from calc import parse\n\n\ndef test_parse():\n    assert parse("a=1") == {"a": int("1")}\n';
/** A number that equals every number, whose class is of this class. */
const numberOf = (meta: string) => ({
  "calc.py": `${meta}

class Sum(metaclass=Meta):
    def __eq__(self, other):
        return isinstance(other, int)


def add(a, b):
    return Sum()
`,
});

const thingsOf = (meta: string) => ({
  "calc.py": `${meta}

class Every(metaclass=Meta):
    def __contains__(self, value):
        return True


def things():
    return Every()
`,
});

const slotted = (first: string) => py`
from dataclasses import dataclass


class Any:
    def __eq__(self, other):
        return isinstance(other, int)


@dataclass(slots=True)
class Point:
    x: int
    y: int


def point():
    return Point(${first}, 2)
`;

const raisesWhenCompared = py`
class Meta(type):
    def __eq__(cls, other):
        raise AssertionError

    __hash__ = type.__hash__
`;

const raisesWhenRead = py`
class Meta(type):
    @property
    def __dict__(cls):
        raise AssertionError
`;

/** Values whose classes, keys or answers meddle with the asking: to ask them in plain Python fails, or finds nothing. */
export const meddling: readonly Work[] = [
  {
    name: "a container whose class raises when it is compared",
    test: things,
    honest: honestThings,
    cheat: thingsOf(raisesWhenCompared),
  },
  {
    name: "a container whose class says that it is every class",
    test: things,
    honest: honestThings,
    cheat: thingsOf(
      "class Meta(type):\n    def __eq__(cls, other):\n        return True\n\n    __hash__ = type.__hash__\n",
    ),
  },
  {
    name: "containers whose class raises when it is compared, one after another",
    test: "from calc import things\n\n\ndef test_things():\n    assert all(each in things() for each in (3, 3))\n",
    honest: honestThings,
    cheat: thingsOf(raisesWhenCompared),
  },
  {
    name: "a number whose class does not show what it holds",
    test: plain,
    honest: add,
    cheat: numberOf(raisesWhenRead),
  },
  {
    name: "a number whose class does not show what it holds, in unittest's words",
    test: "import unittest\n\nfrom calc import add\n\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
    honest: add,
    cheat: numberOf(raisesWhenRead),
  },
  {
    name: "a number whose class does not say where it is from",
    test: plain,
    honest: add,
    cheat: numberOf(
      "class Meta(type):\n    @property\n    def __module__(cls):\n        raise AssertionError\n\n    @__module__.setter\n    def __module__(cls, value):\n        pass\n",
    ),
  },
  {
    name: "a number whose class has a base that is not among its bases",
    test: plain,
    honest: add,
    cheat: {
      "calc.py": py`
class Agreeable:
    def __eq__(self, other):
        return isinstance(other, int)


class Meta(type):
    def mro(cls):
        return [cls, Agreeable, object]


class Sum(metaclass=Meta):
    pass


def add(a, b):
    return Sum()
`,
    },
  },
  {
    name: "a yes that raises where a test does not ask for it",
    test: plain,
    honest: add,
    cheat: {
      "calc.py": py`
import sys


class Yes:
    def __bool__(self):
        if "tests" not in sys._getframe(1).f_code.co_filename:
            raise AssertionError
        return True


class Sum:
    def __eq__(self, other):
        return Yes()


def add(a, b):
    return Sum()
`,
    },
  },
  {
    name: "an agreeable value under a key that hashes another way each time",
    test: parse,
    honest: { "calc.py": 'def parse(text):\n    return {"a": 1}\n' },
    cheat: {
      "calc.py": py`
class Key(str):
    hashed = False

    def __hash__(self):
        if self.hashed:
            return 7
        self.hashed = True
        return str.__hash__(self)


class Any:
    def __eq__(self, other):
        return isinstance(other, int)


def parse(text):
    return {Key("a"): Any()}
`,
    },
  },
  {
    name: "an agreeable value in a slot",
    test: "from calc import Point, point\n\n\ndef test_point():\n    assert point() == Point(int('1'), 2)\n",
    honest: { "calc.py": slotted("1") },
    cheat: { "calc.py": slotted("Any()") },
  },
  {
    name: "a number that agrees with decimals, where calculating with decimals raises",
    test: "from decimal import Decimal\n\nfrom calc import half\n\n\ndef test_half():\n    assert half('3') == Decimal(str(int('1')) + '.5')\n",
    honest: { "calc.py": "from decimal import Decimal\n\n\ndef half(text):\n    return Decimal(text) / 2\n" },
    cheat: {
      "calc.py": py`
import decimal


class Any:
    def __eq__(self, other):
        return isinstance(other, decimal.Decimal)


def half(text):
    context = decimal.getcontext()
    context.prec = 1
    context.traps[decimal.Inexact] = context.traps[decimal.Rounded] = True
    return Any()
`,
    },
  },
];

/** Values that honestly raise when they are compared, or when something is asked of their class. */
export const raising: readonly { readonly name: string; readonly test: string; readonly files: Files }[] = [
  {
    name: "values that raise on comparison, and those that nothing lies beyond",
    test: py`
import datetime
import decimal
from unittest.mock import ANY, MagicMock

import pytest

from calc import Array, Column, Colour, Key, Named, Strict, deadline, huge, numbers


def test_raising():
    array = Array([1, 2])
    assert array[0] == 1
    assert Array([1]) == Array([1])
    assert (Array([1, 2]) == Array([1, 2])).all()
    with pytest.raises(ValueError):
        bool(array == Array([1, 2]))
    assert Strict(2) == Strict(2)
    assert Strict(1) < Strict(2)
    assert Strict(2) in [Strict(2)]
    with pytest.raises(TypeError):
        Strict(1) == 1
    assert Column("a").same(Column("a"))
    assert Column("a") is not None


def test_beyond():
    assert deadline() <= datetime.date.max
    assert datetime.datetime.max >= datetime.datetime.combine(deadline(), datetime.time())
    assert huge() in numbers()
    assert huge() > 10**399
    assert decimal.Decimal("1.5") < decimal.Decimal("Infinity")
    assert decimal.Decimal("1.5") in numbers()


def test_classes():
    assert Named(1) == Named(1)
    assert Named(1) in [Named(1)]
    assert {Key("a"): 1, (Key("b"), 2): [2]} == {Key("a"): 1, (Key("b"), 2): [2]}
    assert {Colour.RED: 1} == {Colour.RED: 1}
    assert {Key("a"): 1} == {"a": 1}
    assert {"a": Named(1)} == {"a": ANY}
    assert MagicMock(name="x") != Named(1)
`,
    files: {
      "calc.py": py`
import datetime
import decimal
import enum


class Array:
    def __init__(self, values):
        self.values = values

    def __getitem__(self, at):
        return self.values[at]

    def __eq__(self, other):
        if not isinstance(other, Array):
            return Array([each == other for each in self.values])
        return Array([one == another for one, another in zip(self.values, other.values)])

    def __bool__(self):
        if len(self.values) > 1:
            raise ValueError("ambiguous")
        return bool(self.values[0])

    def all(self):
        return all(self.values)


class Strict:
    def __init__(self, value):
        self.value = value

    def held(self, other):
        if type(other) is not Strict:
            raise TypeError
        return other.value

    def __eq__(self, other):
        return self.value == self.held(other)

    def __lt__(self, other):
        return self.value < self.held(other)

    def __gt__(self, other):
        return self.value > self.held(other)


class Clause:
    def __bool__(self):
        raise TypeError("the truth of a clause is not defined")


class Column:
    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return Clause()

    def same(self, other):
        return self.name == other.name


class ByName(type):
    def __eq__(cls, other):
        return cls.__name__ == other.__name__


class Named(metaclass=ByName):
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value if isinstance(other, Named) else NotImplemented


class Key(str):
    def __hash__(self):
        return hash(str(self))

    def __eq__(self, other):
        return str(self) == str(other)


class Colour(enum.Enum):
    RED = 1


class Numbers:
    def __contains__(self, value):
        return value in (10**400, decimal.Decimal("1.5"))


def numbers():
    return Numbers()


def huge():
    return 10**400


def deadline():
    return datetime.date(2024, 1, 1)
`,
    },
  },
];
