import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { py } from "../cheats/py.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { Play, present, reply, writeFile } from "../helpers/session-play.js";
import { type SeedTask, SessionWorld } from "../helpers/session-world.js";

// odd but honest work, as people do it: every gate lets it through at the first try

interface Work {
  readonly title: string;
  readonly test: string;
  /** the files that the worker writes */
  readonly writes: Readonly<Record<string, string>>;
}

const oldTest = "from shop import prices\n\n\ndef test_full():\n    assert prices.full(3) == 3\n";
const conftest = "import pytest\n\n\n@pytest.fixture\ndef till():\n    return {'open': True}\n";

const project = {
  "README.md": "# shop\n",
  "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q"\n',
  "shop/__init__.py": "",
  "shop/prices.py":
    "import os, sys\nfrom json import *\n\n\ndef full(price):\n    l = price\n    unused = 1\n    return l\n",
  "shop/old.py":
    "try:\n    import simplejson\nexcept:\n    pass\n\n\ndef half(value):\n    if value == None:\n        return 0\n    return value / 2\n",
  "tests/test_old.py": oldTest,
  "tests/conftest.py": conftest,
};

const works: readonly Work[] = [
  {
    title:
      "Imports in an order of their own, of modules that are still to be written; a program that writes a report; values that are equal where they should be, and operands whose comparison is no truth value; a computed list decides how often something is tested",
    test: py`
from shop.basket import Basket, EMPTY
import pytest
from shop.money import Column, Money
from shop import prices
from shop.tax import taxed
from pathlib import Path
import json
import os
import subprocess
import sys

ROOT = Path(__file__).parent.parent


def test_basket():
    basket = Basket([prices.full(2), 3])
    assert basket.total() == 5
    assert json.loads(basket.as_json()) == [2, 3]
    assert os.sep and EMPTY.total() == 0
    with pytest.raises(ValueError):
        Basket([-1])


def test_program():
    said = subprocess.run([sys.executable, "-m", "shop", "7"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout == "sold for 7\n"
    assert (ROOT / "report.txt").read_text() == "7\n"


CASES = [(price, round(price * 1.2, 2)) for price in range(1, 6)]


@pytest.mark.parametrize(("price", "expected"), CASES)
def test_taxed(price, expected):
    assert taxed(price) == pytest.approx(expected)


def test_money():
    assert Money(3, "EUR") == Money(3, "EUR")
    assert Money(3, "EUR") != Money(3, "CHF")
    assert {Money(1, "EUR"): 2}[Money(1, "EUR")] == 2


def test_column():
    assert (Column([1, 2]) == Column([1, 2])).all()
    assert not (Column([1, 2]) == Column([1, 3])).all()
    assert list(Column([1, 2]) == Column([1, 3])) == [True, False]
`,
    writes: {
      "shop/tax.py": "def taxed(price):\n    return round(price * 1.2, 2)\n",
      "shop/money.py": py`
import dataclasses


@dataclasses.dataclass(frozen=True)
class Money:
    amount: int
    currency: str


class Column:
    def __init__(self, values):
        self.values = list(values)

    def __eq__(self, other):
        return Column(one == two for one, two in zip(self.values, other.values, strict=True))

    __hash__ = None

    def __iter__(self):
        return iter(self.values)

    def __bool__(self):
        raise ValueError("the truth of a column is ambiguous")

    def all(self):
        return all(self.values)
`,
      "shop/__main__.py": py`
import sys
from pathlib import Path

price = sys.argv[1]
Path("report.txt").write_text(f"{price}\n")
print(f"sold for {price}")
`,
      "shop/basket.py": py`
import json


class Basket:
    def __init__(self, prices):
        if any(price < 0 for price in prices):
            raise ValueError("a price below nothing")
        self.prices = list(prices)

    def total(self):
        return sum(self.prices)

    def as_json(self):
        return json.dumps(self.prices)


EMPTY = Basket([])
`,
    },
  },
  {
    title:
      "A fixture for receipts in tests/conftest.py, a test for one system only, other tests that change, one more, and a file that git leaves out",
    test: py`
import sys

import pytest

from shop import opening, prices


def test_reduced():
    assert prices.reduced(10) == 9


def test_receipt(receipt, till):
    assert receipt == ['a', 'b']
    assert till['open']


@pytest.mark.skipif(sys.platform == "win32", reason="paths of another kind")
def test_path():
    assert opening.path() == "/srv/shop"


@pytest.mark.skipif(sys.platform != "win32", reason="paths of another kind")
def test_other_path():
    assert opening.path() == "C:/shop"


def test_till(till):
    assert opening.is_open(till)
`,
    writes: {
      "tests/conftest.py": `${conftest}\n\n@pytest.fixture\ndef receipt():\n    from shop.receipt import lines\n\n    return lines('a b')\n`,
      "shop/receipt.py": "def lines(text):\n    return text.split()\n",
      "shop/prices.py": "def full(price):\n    return price\n\n\ndef reduced(price):\n    return price * 0.9\n",
      "tests/test_old.py": `${oldTest}    assert prices.full(0) == 0\n`,
      "tests/test_more.py": "from shop import prices\n\n\ndef test_more():\n    assert prices.reduced(100) == 90\n",
      ".gitignore": "*.log\nbuild/\n",
      "build/out.txt": "left out\n",
      "shop/opening.py": "def path():\n    return '/srv/shop'\n\n\ndef is_open(till):\n    return till['open']\n",
    },
  },
  {
    title: "What is old takes another form and does the same",
    test: py`
"""keep-green: half behaves as it did before it was tidied."""

import pytest

from shop.old import half


@pytest.mark.parametrize(("value", "expected"), [(4, 2), (None, 0), (0, 0)])
def test_half(value, expected):
    assert half(value) == expected
`,
    writes: { "shop/old.py": "def half(value):\n    return 0 if value is None else value / 2\n" },
  },
  {
    title: "What is held already, held",
    test: '"""keep-green: captured before anybody changes it."""\n\nfrom shop import prices\n\n\ndef test_full():\n    assert prices.full(5) == 5\n',
    writes: {},
  },
];

const idOf = (at: number) => `T-${String(at + 1).padStart(3, "0")}`;

function taskOf({ title, test: source }: Work, at: number): SeedTask {
  return {
    id: idOf(at),
    title,
    description: `${title}.`,
    acceptance_criteria: ["It is as the title has it."],
    test: { name: `test_t${idOf(at).slice(2)}_work.py`, source },
  };
}

const play = new Play(
  Object.fromEntries(
    works.map(({ writes }, at) => [
      idOf(at),
      [reply([...Object.entries(writes).map(([path, content]) => writeFile(path, content)), present()])],
    ]),
  ),
);

let world: SessionWorld;
let files: SessionFiles;
let end: RunEnd;
let log: readonly TilthEvent[];

beforeAll(async () => {
  world = await SessionWorld.open({ files: project, tasks: works.map(taskOf), script: { worker: play.worker } });
  files = await world.stage();
  end = await world.run(files);
  log = await wholeLog(files);
});
afterAll(() => world?.[Symbol.asyncDispose]());

test("every task is accepted at its first try", async () => {
  expect(play.surprises).toEqual([]);
  expect(end.stop.reason).toBe("all_done");
  expect(of(log, "check_run").map(({ task_id, passed }) => [task_id, passed])).toEqual(
    works.map((_, at) => [idOf(at), true]),
  );
  await oracle(world, files, end);
});

test("every counter-check had assertions to make false, and caught nothing", () => {
  for (const { reached, caught, passed } of of(log, "counter_check")) {
    expect({ caught, passed }).toEqual({ caught: [], passed: true });
    expect(reached).toBeGreaterThan(0);
  }
});

test("each commit holds what its task wrote, and nothing that git ignores", () => {
  const changed = of(log, "commit").map(({ sha }) =>
    world.repo.git("diff-tree", "-r", "--name-only", "--no-commit-id", sha).trim().split("\n").filter(Boolean),
  );
  const kept = works.map(({ writes }) => Object.keys(writes).filter((path) => path !== "build/out.txt"));
  expect(changed).toEqual(kept.map((paths) => paths.sort()));
});
