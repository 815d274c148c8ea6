"""Tells which tests a staged file itself leaves out whatever the project is, by marks for skipping and expected
failure."""

from __future__ import annotations

import ast
import itertools

from check.staged.conditions import holding
from check.staged.module_tests import Module
from check.staged.skip_marks import Marks, each_of
from check.staged.syntax import keyword, parametrisations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.staged.module_tests import Test

MOST_CONDITIONS = 1000


def left_out(path: str, module: ast.Module) -> set[str]:
    """Ids of the tests, and of single sets of their parameters, that a mark of the file leaves out for certain."""
    marks = Marks(module)
    cases = Module(path, module)
    conditions: dict[str, list[ast.expr]] = {}
    for test in cases.functions():
        conditions[test.id] = marks.of_test(test)
        conditions |= {name: marks.conditions(given) for name, given in marked_sets(cases, test).items()}
    asked = list({ast.dump(each): each for found in conditions.values() for each in found}.values())[:MOST_CONDITIONS]
    held = {ast.dump(each) for each, holds in zip(asked, holding(module, asked), strict=True) if holds}
    return {name for name, found in conditions.items() if any(ast.dump(each) in held for each in found)}


def marked_sets(cases: Module, test: Test) -> dict[str, list[ast.expr]]:
    """Marks on single sets of parameters, by the id that each makes, as far as the file shows it."""
    calls = [*reversed(parametrisations(test.node))] if test.node else []
    ids = cases.ids_of(test)
    if not calls or any(one["many"] for one in ids):
        return {}
    sets = itertools.product(*(values_of(call) for call in calls))
    return {one["id"]: [mark for value in values for mark in marks_on(value)] for one, values in zip(ids, sets)}


def values_of(call: ast.expr) -> list[ast.expr]:
    """The sets of parameters, of a call that was seen to have a list of them."""
    given = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else keyword(call, "argvalues")
    return getattr(given, "elts", [])


def marks_on(value: ast.expr) -> list[ast.expr]:
    return each_of(keyword(value, "marks")) if isinstance(value, ast.Call) else []
