"""Finds the assertions of a test file, and tells from its syntax tree alone whether each can be made false fairly."""

from __future__ import annotations

import ast

from check.counter.assertions.catching import CATCHING, EXPECTING, catchers_in, may_catch
from check.counter.assertions.nodes import FUNCTIONS, LAZY, TRIES, called, conjuncts, is_plain, names_from_pytest
from check.counter.assertions.surroundings import Surroundings, is_left_out, marks_in, unfairness_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Union

    from check.counter.assertions.nodes import Function
    from check.wire.shapes import AssertionSite

    Site = Union["Condition", "CallSite"]
    CallKind = Literal["expected", "method", "call"]


UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
METHODS = {
    f"assert{name}"
    for name in """Equal NotEqual True False Is IsNot IsNone IsNotNone In NotIn IsInstance NotIsInstance Greater
    GreaterEqual Less LessEqual AlmostEqual NotAlmostEqual Regex NotRegex CountEqual ListEqual TupleEqual SetEqual
    DictEqual SequenceEqual MultiLineEqual""".split()
}
ONE_SIDED = {"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"}
UNKNOWN = "no known way to make it false"


def sites_of(path: str, source: str | bytes, catchers: Iterable[str] = ()) -> list[AssertionSite]:
    """The assertions in their order. `catchers`: the names that `catchers_in` finds in files that this one loads."""
    try:
        found = File(path, ast.parse(source), catchers).sites
    except UNREADABLE:
        return []
    return [{"id": site.id, "test": site.test, "unfair": site.unfair} for site in found]


class Place:
    """An expression of a test file, and its surroundings. `at`: the node by whose position it is known."""

    def __init__(self, file: File, node: ast.expr, where: Surroundings, at: ast.expr | ast.Assert) -> None:
        self.file = file
        self.node = node
        self.where = where
        self.id = f"{file.path}:{at.lineno}:{at.col_offset}"


class Condition(Place):
    """A condition of an assert statement: `alone`, or one of several that `and` joins."""

    kind: Literal["condition"] = "condition"

    def __init__(self, file: File, node: ast.expr, where: Surroundings, at: ast.expr | ast.Assert, alone: bool) -> None:
        super().__init__(file, node, where, at)
        self.test = where.test
        self.unfair = where.unfair
        self.alone = alone


class CallSite(Place):
    """A call that asserts something. An `expected` exception is the call's first argument; a `method` is unittest's;
    there is no known way to make a plain `call` false. `name`: that of the function called, in whose place a probe is
    put later."""

    def __init__(self, file: File, kind: CallKind, call: ast.Call, where: Surroundings) -> None:
        super().__init__(file, call, where, call)
        self.kind: CallKind = kind
        self.call = call
        self.name = called(call)
        self.test = where.test
        self.unfair = where.unfair or (UNKNOWN if kind == "call" else None) or self.used_later()

    def used_later(self) -> str | None:
        """`SE = raises(Error)` above the tests, or among their parameters: nobody knows which of them it is for."""
        return "made before any test runs" if self.kind == "expected" and self.where.function is None else None


class File:
    """One file's assertions, and the lines on which a failure may be caught."""

    def __init__(self, path: str, tree: ast.Module, catchers: Iterable[str] = ()) -> None:
        self.path = path
        self.tree = tree
        self.catchers = catchers_in([tree], {*CATCHING, *catchers})
        self.pytest_names = set(names_from_pytest(tree))
        self.catching_lines: list[tuple[int, int]] = []
        self.sites: list[Site] = []
        where = Surroundings(path)
        if any(is_left_out(given) for given in marks_in(tree.body)):
            where = where.but(unfair="left out by a mark")
        self.inside(tree, where)

    def inside(self, node: ast.AST, where: Surroundings) -> None:
        for child in ast.iter_child_nodes(node):
            self.visit(child, where)

    def visit(self, node: ast.AST, where: Surroundings) -> None:
        if isinstance(node, FUNCTIONS):
            self.function(node, where)
        elif isinstance(node, ast.ClassDef):
            self.of_class(node, where)
        elif isinstance(node, LAZY):
            self.inside(node, where.but(unfair="in a lambda or generator"))
        elif isinstance(node, TRIES) and may_catch(node):
            self.note_catching(node)
            self.inside(node, where.but(unfair="inside try"))
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            self.with_statement(node, where)
        elif isinstance(node, ast.Assert):
            self.assert_statement(node, where)
        else:
            if isinstance(node, ast.Call):
                self.call(node, where)
            self.inside(node, where)

    def note_catching(self, node: ast.stmt) -> None:
        self.catching_lines.append((node.lineno, node.end_lineno or node.lineno))

    def function(self, node: Function, where: Surroundings) -> None:
        for outside in (*node.decorator_list, node.args):
            self.visit(outside, where)
        inner = where.but(scope=node, unfair=unfairness_of(node, where))
        if any(called(given) in self.catchers for given in node.decorator_list):
            inner = inner.but(unfair="where failures are caught")
        if where.function is None:
            test = f"{where.prefix}::{node.name}" if node.name.startswith("test") else None
            inner = inner.but(function=node, test=test, entered=tuple(node.decorator_list))
        for statement in node.body:
            self.visit(statement, inner)

    def of_class(self, node: ast.ClassDef, where: Surroundings) -> None:
        inner = where.but(scope=node, prefix=f"{where.prefix}::{node.name}")
        if any(is_left_out(given) for given in (*node.decorator_list, *marks_in(node.body))):
            inner = inner.but(unfair="left out by a mark")
        for statement in node.body:
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                self.visit(statement, inner)
            else:
                self.visit(statement, inner.but(unfair="in a class body"))

    def with_statement(self, node: ast.With | ast.AsyncWith, where: Surroundings) -> None:
        for item in node.items:
            self.visit(item, where)
            where = where.but(entered=(*where.entered, item.context_expr))
            if called(item.context_expr) in self.catchers:
                self.note_catching(node)
                where = where.but(unfair="where failures are caught")
        for statement in node.body:
            self.visit(statement, where)

    def assert_statement(self, node: ast.Assert, where: Surroundings) -> None:
        parts = conjuncts(node.test)
        alone = len(parts) == 1
        for part in parts:
            self.add(Condition(self, part, where, node if alone else part, alone))

    def call(self, node: ast.Call, where: Surroundings) -> None:
        name = called(node)
        if name in EXPECTING and self.is_expecting(node.func):
            keywords = {given.arg for given in node.keywords}
            if node.args and not isinstance(node.args[0], ast.Starred):
                self.add(CallSite(self, "expected", node, where))
            elif keywords & {"expected_exception", "match", "check"}:
                self.add(CallSite(self, "call", node, where))
        elif name in METHODS and is_plain(node, 1 if name in ONE_SIDED else 2):
            self.add(CallSite(self, "method", node, where))
        elif name.lower().startswith("assert") and name != "AssertionError":
            self.add(CallSite(self, "call", node, where))

    def is_expecting(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Name):
            return function.id in self.pytest_names
        is_method = isinstance(function, ast.Attribute)
        return is_method and (
            function.attr.startswith("assert") or getattr(function.value, "id", "") in self.pytest_names
        )

    def add(self, site: Site) -> None:
        if all(site.id != other.id for other in self.sites[-3:]):
            self.sites.append(site)
