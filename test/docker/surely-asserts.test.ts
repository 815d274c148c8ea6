import { expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { someOf } from "../helpers/every.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const path = "tests/test_t001_it.py";
const { world, checks } = await sharedChecks();

async function judged(source: string, files: Files) {
  const staged = [{ path, source }];
  const tree = await world.tree({ [path]: source, ...files });
  const { facts } = await checks.red({ tree, run: [], read: staged, timeoutMs: 1_000 }, never);
  const request = requestOf({ tree, last: tree, staged, facts });
  return { facts: facts[0], ...judgementOf(await checks.run(request, never), request) };
}

const imports = `import contextlib
import unittest

import pytest
import support
from support import maybe, same

from calc import call, cases, same_not, session, words


@contextlib.contextmanager
def failing(kind):
    with pytest.raises(kind):
        yield


@contextlib.contextmanager
def swallowing():
    with contextlib.suppress(ValueError):
        yield


def pending(value):
    yield value
    assert value


def only_if(condition):
    return lambda function: function if condition else lambda: None


def plenty(value):
    assert value
`;
const support = `def same(left, right):
    assert left == right


def maybe(value):
    if value:
        assert value


def never():
    pass


def fine(value):
    same(value, value)
`;
const calc = `import contextlib


def call(value=None):
    if value:
        raise ValueError("no")
    return 5


def cases():
    return [1]


def same_not(one, other):
    pass


@contextlib.contextmanager
def session():
    yield


def words():
    return ["a"]
`;

/** Bodies with an assertion that no passing run can avoid. */
const sure: Readonly<Record<string, readonly [surely: "itself" | "somewhere", body: string]>> = {
  plain: ["itself", "assert call() == 5"],
  raises: ["itself", "with pytest.raises(ValueError):\n        call(1)"],
  manager: ["itself", "with session(), open(__file__):\n        assert call()"],
  loop: [
    "itself",
    "for each in cases():\n        if each > 9:\n            continue\n        print(each)\n    assert call()",
  ],
  in_loop: ["itself", "for each in cases():\n        assert each"],
  both: ["itself", "if call() == 5:\n        assert call()\n    else:\n        assert call() == 6"],
  either: [
    "itself",
    "try:\n        call(1)\n    except ValueError as error:\n        assert str(error)\n    else:\n        pytest.fail()",
  ],
  finally_: ["itself", "try:\n        call()\n    finally:\n        assert call()"],
  skipping: ["itself", "if not call():\n        pytest.skip('no')\n    assert call()"],
  helped: ["somewhere", "same(call(), 5)"],
  expecting: ["somewhere", "with failing(ValueError):\n        assert call(1)"],
  further: ["somewhere", "if call() == 6:\n        assert True\n    plenty(call())"],
};
/** Bodies that pass without reaching an assertion. */
const unsure: Readonly<Record<string, string>> = {
  raising: "if call() != 5:\n        raise AssertionError('no')",
  failing_branch: "if call() != 5:\n        assert False, 'no'",
  never_there: "try:\n        call(1)\n    except ValueError:\n        pass\n    else:\n        assert False",
  conditional: "if call() == 6:\n        assert call()",
  left_early: "if call() == 5:\n        return\n    assert call()",
  handled: "try:\n        call(1)\n        assert call()\n    except ValueError:\n        pass",
  expected_by_own: "with swallowing():\n        call(1)\n        assert call()",
  later: "pending(0)",
  short_circuit: "print(call() == 6 and same(1, 1))",
  unknown_helper: "maybe(0)\n    support.maybe(0)",
  same_name: "same_not(1, 2)",
  replaced: "assert call() == 6\n\n\nif call:\n    from support import never as test_replaced  # noqa",
  comprehended: "print([same(each, 1) for each in cases() if each > 1])",
};

test("assertions that an honest run may pass by are told from those that it cannot", async () => {
  const all = { ...Object.fromEntries(Object.entries(sure).map(([name, [, body]]) => [name, body])), ...unsure };
  const functions = Object.entries(all).map(([name, body]) => `\n\ndef test_${name}():\n    ${body}\n`);
  const decorated = "\n\n@only_if(False)\ndef test_decorated():\n    assert call()\n";
  const classes =
    "\n\nclass TestIt(unittest.TestCase):\n    def check(self):\n        self.assertEqual(1, 1)\n\n    def test_sub(self):\n        for each in (1, 2):\n            with self.subTest(each):\n                self.assertTrue(each)\n\n    def test_by_method(self):\n        self.check()\n";
  const source = `${imports}${functions.join("")}${decorated}${classes}\n\nprint(words, support)\n`;
  const found = await judged(source, { "tests/support.py": support, "calc.py": calc });
  const told = Object.fromEntries(
    (found.facts?.tests ?? []).map(({ id, surelyAsserts }) => [id.split("::").at(-1), surelyAsserts]),
  );
  expect(told).toEqual({
    ...Object.fromEntries(Object.entries(sure).map(([name, [surely]]) => [`test_${name}`, surely])),
    ...Object.fromEntries(Object.keys(unsure).map((name) => [`test_${name}`, null])),
    test_decorated: null,
    test_sub: "itself",
    test_by_method: "somewhere",
  });
  expect(found, JSON.stringify(found.checks, null, 1)).toMatchObject({ passed: true });
  const note = found.integrityNotes.find((each) => each.includes("none of the conditions"));
  for (const name of ["failing_branch", "conditional", "left_early", "handled", "decorated"])
    expect(note).toContain(`::test_${name}`);
});

const emptied = someOf(Object.entries(sure), 3, ([, [surely]]) => surely);
test.each(emptied)("a test emptied while it runs is refused: %s", async (name, [, body]) => {
  const emptying = `import sys\n\nfor module_name, module in list(sys.modules.items()):\n    if module_name.startswith("test_t001"):\n        module.test_${name}.__code__ = (lambda: None).__code__\n`;
  const source = `${imports}\n\ndef test_${name}():\n    ${body}\n\n\nimport cheat  # noqa: E402\n\nprint(cheat, words, support, same, maybe, same_not, session, cases, unittest)\n`;
  const found = await judged(source, { "tests/support.py": support, "calc.py": calc, "cheat.py": emptying });
  expect(found.checks.find(({ name: check }) => check === "pytest")).toMatchObject({ reason: "no_assertion_reached" });
});
