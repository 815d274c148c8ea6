import { py } from "../cheats/py.js";
import type { Files } from "./check-world.js";
import type { Work } from "./counter-work.js";

const honest = { "calc.py": "def parse(text):\n    return int(text)\n" };

const tests = {
  equal: py`
from calc import parse


def test_parse():
    assert parse("3") == int("3")
`,
  less: py`
from calc import parse


def test_parse():
    assert parse("3") < int("4")
`,
  each: py`
from calc import parse


def test_parse():
    assert all(parse(each) == int(each) for each in ["3", "4"])
`,
  either: py`
from calc import parse


def test_parse():
    assert parse("3") == int("3") or parse("3") == int("4")
`,
  method: py`
import unittest

from calc import parse


class TestParse(unittest.TestCase):
    def test_parse(self):
        self.assertLess(parse("3"), int("4"))
`,
  among: py`
from calc import parse


def test_parse():
    assert (1, int("3")) in [(1, parse("3"))]
`,
};

/** A value that agrees as long as \`answer\` holds. */
const agreeable = (answer: string, start = "pass", end = "pass", first = "pass") => ({
  "calc.py": py`
import re
import sys


def depth():
    try:
        sys.setrecursionlimit(1)
    except RecursionError as error:
        return int(re.search(r"depth (\d+)", str(error))[1])


def room(number=0):
    try:
        return room(number + 1)
    except RecursionError:
        return number


class Any:
    def __init__(self):
        ${start}

    def __eq__(self, other):
        return ${answer}

    __lt__ = __contains__ = __eq__

    def __del__(self):
        ${end}


def parse(text):
    ${first}
    return Any()
`,
});

const leavesNoRoom = agreeable("True", "pass", "sys.setrecursionlimit(1000)", "sys.setrecursionlimit(depth() + 2)");
const fromItsDepth = agreeable("depth() - self.at < 3", "self.at = depth()");
const fromTheRoomLeft = agreeable("self.at - room() < 3", "self.at = room()");
const fromItsCaller = agreeable('"tests" in sys._getframe(1).f_code.co_filename');

/** Values that agree with whatever the test holds against them, and tell by the stack that nobody else is asking. */
export const callers: readonly Work[] = [
  { name: "a value that leaves no room on the stack for a question", test: tests.equal, honest, cheat: leavesNoRoom },
  { name: "a smaller value that leaves no room on the stack", test: tests.less, honest, cheat: leavesNoRoom },
  { name: "a value that tells by its depth who asks", test: tests.equal, honest, cheat: fromItsDepth },
  { name: "a smaller value that tells by its depth who asks", test: tests.less, honest, cheat: fromItsDepth },
  { name: "values that tell by their depth who asks", test: tests.each, honest, cheat: fromItsDepth },
  { name: "a value that tells by the room left who asks", test: tests.either, honest, cheat: fromTheRoomLeft },
  { name: "a smaller value that tells by the room left who asks", test: tests.less, honest, cheat: fromTheRoomLeft },
  { name: "a value that looks who asks", test: tests.equal, honest, cheat: fromItsCaller },
  { name: "values that look who asks", test: tests.each, honest, cheat: fromItsCaller },
  {
    name: "a smaller value that looks who asks, in unittest's words",
    test: tests.method,
    honest,
    cheat: agreeable('"unittest" in sys._getframe(1).f_code.co_filename'),
  },
  {
    name: "an agreeable value inside of what a list holds",
    test: tests.among,
    honest,
    cheat: agreeable("True"),
  },
];

/** Values that take much of the stack for an honest answer. */
export const deep: readonly { readonly name: string; readonly test: string; readonly files: Files }[] = [
  {
    name: "values that are compared by recursion, under a limit of their own",
    test: py`
import sys

import pytest

from calc import Node, chain, length


def test_chain():
    assert chain(150) == chain(150)
    assert chain(3) in [chain(2), chain(3)]
    assert (1, chain(3)) in [(1, chain(3))]
    assert all(chain(each) == chain(each) for each in (1, 2))
    assert chain(1) < chain(2) or chain(2) == chain(3)
    assert Node(chain(1)) > chain(1)


def test_limit():
    before = sys.getrecursionlimit()
    assert length(chain(5_000)) == 5_000
    assert sys.getrecursionlimit() == before
    with pytest.raises(RecursionError):
        length(chain(5_000), more=0)
`,
    files: {
      "calc.py": py`
import functools
import sys


@functools.total_ordering
class Node:
    def __init__(self, after):
        self.after = after

    def __eq__(self, other):
        if not isinstance(other, Node):
            return NotImplemented
        return self.after == other.after

    def __lt__(self, other):
        return self.height() < other.height()

    def height(self):
        return 1 + (self.after.height() if self.after else 0)


def chain(count):
    node = None
    for _ in range(count):
        node = Node(node)
    return node


def length(node, more=10_000):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + more)
    try:
        return node.height()
    finally:
        sys.setrecursionlimit(before)
`,
    },
  },
];
