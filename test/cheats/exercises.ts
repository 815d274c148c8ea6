import { py } from "./py.js";

interface Exercise {
  readonly text: string;
  /** its acceptance test; each is written in another style */
  readonly source: string;
  readonly path: string;
  readonly wrong: string;
  readonly solved: string;
}

export const exercises = {
  total: {
    text: "total adds up prices.",
    source: py`
from helpers import same
from shop.total import total


def test_total(prices):
    same(total(prices), 6)
    assert total([]) == 0


def test_totals():
    assert total([1]) == 1
    assert total([5, 5]) == 10
`,
    path: "shop/total.py",
    wrong: "def total(prices):\n    return None\n",
    solved: "def total(prices):\n    return sum(prices)\n",
  },
  parse: {
    text: "parse reads a price as cents and refuses what is none.",
    source: py`
import pytest
from shop.parse import parse


def test_parse():
    assert parse("1.50") == 150


def test_parse_refuses():
    with pytest.raises(ValueError, match="price"):
        parse("cheap")
    with pytest.raises(TypeError):
        parse(None)
`,
    path: "shop/parse.py",
    wrong: "def parse(text):\n    return 0\n",
    solved: py`
def parse(text):
    if not isinstance(text, str):
        raise TypeError("a price is text")
    try:
        return round(float(text) * 100)
    except ValueError:
        raise ValueError(f"not a price: {text}") from None
`,
  },
  mean: {
    text: "mean is the arithmetic mean of numbers.",
    source: py`
import math

import pytest
from shop.mean import mean


def test_mean():
    assert mean([1, 2]) == pytest.approx(1.5)


def test_mean_of_fractions():
    assert math.isclose(mean([0.1, 0.3]), 0.2)
    assert abs(mean([2, 4]) - 3) < 1e-9
`,
    path: "shop/mean.py",
    wrong: "def mean(values):\n    return 0.0\n",
    solved: "def mean(values):\n    return sum(values) / len(values)\n",
  },
  basket: {
    text: "A Basket counts what was put into it and gives nothing that it does not hold.",
    source: py`
import unittest

from shop.basket import Basket


class BasketTest(unittest.TestCase):
    def setUp(self):
        self.basket = Basket()
        self.basket.put("pear", 2)

    def test_counts(self):
        self.assertEqual(self.basket.count("pear"), 2)
        self.assertIsInstance(self.basket.count("pear"), int)

    def test_names(self):
        self.assertIn("pear", self.basket.names())
        self.assertTrue(len(self.basket.names()) == 1)

    def test_refuses(self):
        with self.assertRaises(KeyError):
            self.basket.take("plum")
`,
    path: "shop/basket.py",
    wrong: py`
class Basket:
    def put(self, name, count):
        pass

    def count(self, name):
        return None

    def names(self):
        return []

    def take(self, name):
        return None
`,
    solved: py`
class Basket:
    def __init__(self):
        self.held = {}

    def put(self, name, count):
        self.held[name] = self.count(name) + count

    def count(self, name):
        return self.held.get(name, 0)

    def names(self):
        return list(self.held)

    def take(self, name):
        return self.held.pop(name)
`,
  },
  roman: {
    text: "roman writes a number in Roman numerals.",
    source: py`
import pytest
from shop.roman import roman


@pytest.mark.parametrize(("number", "text"), [(4, "IV"), (9, "IX"), (14, "XIV")])
def test_roman(number, text):
    assert roman(number) == text
`,
    path: "shop/roman.py",
    wrong: "def roman(number):\n    return ''\n",
    solved: py`
STEPS = [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def roman(number):
    for value, text in STEPS:
        if number >= value:
            return text + roman(number - value)
    return ""
`,
  },
  cli: {
    text: "python -m shop total adds up its arguments, and ends with 2 where one is no number.",
    source: py`
import subprocess
import sys


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "shop", *arguments], capture_output=True, text=True, timeout=20)


def test_prints_the_total():
    done = run("total", "1", "2")
    assert done.returncode == 0
    assert done.stdout == "3\n"


def test_refuses():
    assert run("total", "pear").returncode == 2
`,
    path: "shop/__main__.py",
    wrong: "print('nothing yet')\n",
    solved: py`
import sys


def main(arguments):
    try:
        print(sum(int(text) for text in arguments[1:]))
    except ValueError:
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
`,
  },
  watch: {
    text: "pause waits as long as it is told, and primes is quick.",
    source: py`
import time

from shop.watch import pause, primes


def test_pause():
    began = time.monotonic()
    pause(0.05)
    assert time.monotonic() - began >= 0.05


def test_primes_quickly():
    began = time.perf_counter()
    assert primes(10) == [2, 3, 5, 7]
    assert time.perf_counter() - began < 1
`,
    path: "shop/watch.py",
    wrong: py`
from time import sleep


def pause(seconds):
    pass


def primes(limit):
    sleep(1.5)
    return [n for n in range(2, limit) if all(n % d for d in range(2, n))]
`,
    solved: py`
from time import sleep


def pause(seconds):
    sleep(seconds)


def primes(limit):
    return [n for n in range(2, limit) if all(n % d for d in range(2, n))]
`,
  },
  rates: {
    text: "rate knows what a currency is worth, and table lists them all.",
    source: py`
import json
from pathlib import Path

import pytest
from shop.rates import codes, rate, table

known = json.loads((Path(__file__).parent / "data" / "rates.json").read_text())


@pytest.mark.parametrize("code", codes())
def test_rate(code):
    assert rate(code) == known[code]


def test_table():
    assert json.dumps(table(), sort_keys=True) == json.dumps(known, sort_keys=True)
`,
    path: "shop/rates.py",
    wrong: py`
def codes():
    return ["EUR", "USD"]


def rate(code):
    return 100


def table():
    return {code: rate(code) for code in codes()}
`,
    solved: py`
RATES = {"EUR": 108, "USD": 100}


def codes():
    return list(RATES)


def rate(code):
    return RATES[code]


def table():
    return dict(RATES)
`,
  },
  ranked: {
    text: "ranked puts names in order.",
    source: py`
from shop.ranked import ranked
from later import EXPECTED


def test_ranked():
    assert ranked(["plum", "fig", "pear"]) == EXPECTED
`,
    path: "shop/ranked.py",
    wrong: "def ranked(names):\n    return names\n",
    solved: "def ranked(names):\n    return sorted(names)\n",
  },
} satisfies Record<string, Exercise>;

export type TaskName = keyof typeof exercises;
