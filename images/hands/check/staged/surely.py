"""Tells from a syntax tree alone whether every passing run of a test has passed an assertion. One that stands only on
some ways through, under a condition or in a handler, does not count: an honest run may pass it by."""

from __future__ import annotations

import ast

from check.counter.assertions.catching import CATCHING
from check.counter.assertions.nodes import FUNCTIONS, LAZY, TRIES, called
from check.tree.imports import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Literal

    from check.staged.syntax import Function
    from check.wire.shapes import AssertionSite

    # line and column
    Place = tuple[int, ...]
    # path, source and assertions of a file that a test loads
    Helper = tuple[str, str, list[AssertionSite]]
    Sureness = Literal["itself", "somewhere"]


NESTED = (*FUNCTIONS, ast.ClassDef, *LAZY, ast.ListComp, ast.SetComp, ast.DictComp)
ENDING = {"fail", "skip", "skipTest", "xfail", "exit", "importorskip"}
DEEPEST = 10
LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Surely:
    """`places`: line and column of each assertion of the file that is a call. `helpers`: names of functions that surely
    assert. `of_tests`: names that test code defines, which may expect a failure or leave a test out."""

    def __init__(
        self, places: Collection[Place], helpers: Collection[str] = (), of_tests: Collection[str] = ()
    ) -> None:
        self.places = places
        self.helpers = helpers
        self.of_tests = of_tests

    def function(self, node: Function) -> bool:
        parameters = {inner.arg for inner in ast.walk(node.args) if isinstance(inner, ast.arg)}
        inside = Surely(self.places, self.helpers, {*self.of_tests, *parameters})
        return not any(self.is_of_tests(given) for given in node.decorator_list) and inside.body(node.body)

    def body(self, statements: Sequence[ast.stmt]) -> bool:
        """An end that no passing run reaches counts too."""
        for node in statements:
            if self.statement(node) or is_end(node):
                return True
            if may_leave(node):
                return False
        return False

    def statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Assert):
            return not is_never(node.test)
        if isinstance(node, ast.If):
            return self.expression(node.test) or (self.body(node.body) and self.body(node.orelse))
        if isinstance(node, LOOPS):
            source = node.test if isinstance(node, ast.While) else node.iter
            return self.expression(source) or self.body(node.body)
        if isinstance(node, TRIES):
            ways = [[*node.body, *node.orelse], *(handler.body for handler in node.handlers)]
            return all(self.body(way) for way in ways) or self.body(node.finalbody)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self.with_statement(node)
        if isinstance(node, (*NESTED, ast.Match)):
            return False
        return self.expression(node)

    def with_statement(self, node: ast.With | ast.AsyncWith) -> bool:
        managers = [item.context_expr for item in node.items]
        if any(self.expression(manager) for manager in managers):
            return True
        return not any(self.is_of_tests(manager) for manager in managers) and self.body(node.body)

    def expression(self, node: ast.AST) -> bool:
        if isinstance(node, NESTED):
            return False
        if isinstance(node, ast.BoolOp):
            return self.expression(node.values[0])
        if isinstance(node, ast.IfExp):
            return self.expression(node.test)
        if isinstance(node, ast.Call) and (self.is_assertion(node) or self.is_helper(node.func)):
            return True
        return any(self.expression(inner) for inner in ast.iter_child_nodes(node))

    def is_assertion(self, call: ast.Call) -> bool:
        return (call.lineno, call.col_offset) in self.places

    def is_helper(self, function: ast.expr) -> bool:
        owner = getattr(getattr(function, "value", None), "id", None) if isinstance(function, ast.Attribute) else "self"
        return owner == "self" and called(function) in self.helpers

    def is_of_tests(self, node: ast.expr) -> bool:
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        return called(node) in CATCHING or (called(node) != "subTest" and bool(names & {"self", *self.of_tests}))


def may_leave(node: ast.AST, looping: bool = False) -> bool:
    """Whether statements after this one in the same body may be left out."""
    if isinstance(node, NESTED):
        return False
    if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not looping):
        return True
    looping = looping or isinstance(node, LOOPS)
    return any(may_leave(inner, looping) for inner in ast.iter_child_nodes(node))


def is_never(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def is_end(node: ast.stmt) -> bool:
    """Whether the statement is not reached in a passing test."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return called(node.value) in ENDING
    return isinstance(node, ast.Raise) or (isinstance(node, ast.Assert) and is_never(node.test))


def who_surely_asserts(
    module: ast.Module, sites: Sequence[AssertionSite], helpers: Sequence[Helper]
) -> Callable[[Function | None], Sureness | None]:
    """Gives a function that tells of a test function whether it surely asserts: "itself", "somewhere" if its helpers
    do, or None. `helpers`: path, source and sites of the files it loads below tests/."""
    texts = [(module, sites), *((parse(text), found) for _, text, found in helpers)]
    files = [(tree, places(found)) for tree, found in texts if tree is not None]
    of_tests = {
        node.name for tree, _ in files for node in ast.walk(tree) if isinstance(node, (*FUNCTIONS, ast.ClassDef))
    }
    names = surely_asserting(files, of_tests) - imported_elsewhere(module, [path for path, *_ in helpers])
    alone, helped = (Surely(places(sites), some, of_tests) for some in ((), names))

    rebound = bound_beside_functions(module)

    def ask(node: Function | None) -> Sureness | None:
        if node is None or node.name in rebound:
            return None
        return "itself" if alone.function(node) else "somewhere" if helped.function(node) else None

    return ask


def bound_beside_functions(module: ast.Module) -> set[str]:
    """Names that may be bound to something else in the end."""
    nodes = list(ast.walk(module))
    imported = {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}
    return imported | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def places(sites: Sequence[AssertionSite]) -> set[Place]:
    return {tuple(int(number) for number in site["id"].rsplit(":", 2)[1:]) for site in sites}


def surely_asserting(files: Sequence[tuple[ast.Module, set[Place]]], of_tests: Collection[str]) -> set[str]:
    """Names of functions that surely assert, whichever function of that name is meant."""
    functions = [(node, at) for tree, at in files for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    names: set[str] = set()
    for _ in range(DEEPEST):
        sure = [node for node, at in functions if runs_at_once(node) and Surely(at, names, of_tests).function(node)]
        unsure = {node.name for node, _ in functions if node not in sure}
        found = {node.name for node, _ in functions} - unsure
        if found == names:
            break
        names = found
    return names


def runs_at_once(function: Function) -> bool:
    yields = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(function))
    return isinstance(function, ast.FunctionDef) and (bool(function.decorator_list) or not yields)


def imported_elsewhere(module: ast.Module, helpers: Sequence[str]) -> set[str]:
    """Names that a file imports from elsewhere than its helpers."""
    stems = {name for path in helpers for name in path.removesuffix(".py").split("/")}
    taken = [node for node in ast.walk(module) if isinstance(node, ast.ImportFrom) and not node.level]
    others = [node for node in taken if (node.module or "").rpartition(".")[2] not in stems]
    return {alias.asname or alias.name for node in others for alias in node.names}
