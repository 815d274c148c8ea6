"""Finds the marks of a test that leave it out, and the condition of each as an expression."""

from __future__ import annotations

import ast

from check.staged.syntax import names_of
from check.tree.imports import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from check.staged.module_tests import Test

ALWAYS = {"pytest.mark.skip", "unittest.skip", "unittest.expectedFailure"}
CONDITIONAL = {"pytest.mark.skipif", "pytest.mark.xfail", "unittest.skipIf", "unittest.skipUnless"}


class Marks:
    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self.scope = names_of(module.body)
        self.origins = origins(module)

    def of_test(self, test: Test) -> list[ast.expr]:
        """The conditions under which the test is left out."""
        bodies = [self.module.body, *(around.body for around in test.classes)]
        marks = [mark for body in bodies for mark in own_marks(body)]
        for node in (test.node, *test.classes):
            marks += node.decorator_list if node else []
        return self.conditions(marks)

    def conditions(self, marks: Iterable[ast.expr]) -> list[ast.expr]:
        return [condition for mark in marks if (condition := self.condition_of(mark)) is not None]

    def condition_of(self, mark: ast.expr) -> ast.expr | None:
        named = self.scope.get(mark.id) if isinstance(mark, ast.Name) else None
        mark = named.value if isinstance(named, ast.Assign) else mark
        call = mark if isinstance(mark, ast.Call) else None
        name = self.full_name(call.func if call else mark)
        if name in ALWAYS:
            return ast.Constant(True)
        return condition_in(name, call) if name in CONDITIONAL else None

    def full_name(self, node: ast.expr) -> str:
        parts = ast.unparse(node).split(".")
        return ".".join([self.origins.get(parts[0], ""), *parts[1:]])


def origins(module: ast.Module) -> dict[str, str]:
    """The full names behind the names that imports bind at top level."""
    found: dict[str, str] = {}
    for node in module.body:
        if isinstance(node, ast.Import):
            found.update({alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names})
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return found


def own_marks(body: Iterable[ast.stmt]) -> list[ast.expr]:
    return each_of(getattr(names_of(body).get("pytestmark"), "value", None))


def each_of(given: ast.expr | None) -> list[ast.expr]:
    return given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given] if given else []


def condition_in(name: str, call: ast.Call | None) -> ast.expr | None:
    """The condition of a mark; None if it has none and needs one."""
    given = [*call.args] if call else []
    given += [keyword.value for keyword in call.keywords if keyword.arg == "condition"] if call else []
    if name.startswith("unittest."):
        given = given[:1]
    if not given:
        return ast.Constant(True) if name == "pytest.mark.xfail" else None
    asked = [as_expression(each) for each in given]
    whole = ast.BoolOp(ast.Or(), asked) if len(asked) > 1 else asked[0]
    return ast.UnaryOp(ast.Not(), whole) if name == "unittest.skipUnless" else whole


def as_expression(node: ast.expr) -> ast.expr:
    """The condition as an expression; it may be written as text."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return node
    module = parse(node.value)
    only = module.body[0] if module is not None and len(module.body) == 1 else None
    return only.value if isinstance(only, ast.Expr) else ast.Constant(False)
