"""Finds the tests of a file as pytest collects them, in its syntax tree alone."""

from __future__ import annotations

import ast
import itertools
from typing import NamedTuple

from check.staged.parameter_ids import argument_names, ids_of
from check.staged.syntax import (
    FUNCTIONS,
    constructed,
    fixture_name,
    fixture_of,
    imported_from,
    is_test,
    keyword,
    last_name,
    marked,
    names_of,
    parametrisations,
    parametrised,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from check.staged.syntax import Binding, Function
    from check.wire.shapes import ExpectedTest

CASES = {"TestCase", "IsolatedAsyncioTestCase"}
DEEPEST_LINEAGE = 20


class Test(NamedTuple):
    """A test function and the classes around it with their ancestors; `node`: None for a class whose tests stand
    elsewhere; `sure`: False if it depends on a base class from another file whether this is a test."""

    id: str
    node: Function | None
    classes: tuple[ast.ClassDef, ...]
    sure: bool = True


def any_of(prefix: str) -> ExpectedTest:
    return {"id": prefix, "many": True}


class Module:
    def __init__(self, path: str, module: ast.Module) -> None:
        self.path = path
        self.scope = names_of(module.body)
        self.imported = {alias.asname: alias.name for alias in imported_from("unittest", module)}
        # by name of the function, and by the name that it is given
        self.fixtures = {
            name: fixture
            for node in ast.walk(module)
            if isinstance(node, FUNCTIONS) and (fixture := fixture_of(node))
            for name in [node.name, fixture_name(fixture)]
        }
        autouse = any(keyword(fixture, "autouse") and parametrised(fixture) for fixture in self.fixtures.values())
        self.open_ended = autouse or "pytest_generate_tests" in self.scope or marked(module.body)

    def tests(self) -> list[ExpectedTest]:
        return [one for test in self.functions() if test.sure for one in self.ids_of(test)]

    def functions(self) -> list[Test]:
        found: list[Test] = []
        for name, node in self.scope.items():
            if isinstance(node, FUNCTIONS) and name.startswith("test") and is_test(node, self.scope):
                found.append(Test(f"{self.path}::{name}", node, ()))
            elif isinstance(node, ast.ClassDef) and is_test(node, self.scope):
                found += self.of_class(f"{self.path}::{name}", node, self.scope, ())
        return found

    def of_class(
        self, prefix: str, node: ast.ClassDef, scope: Mapping[str, Binding], around: tuple[ast.ClassDef, ...]
    ) -> list[Test]:
        lineage, foreign = self.lineage(node, scope)
        unittest = any(base in CASES for base in foreign)
        sure = unittest or (node.name.startswith("Test") and not constructed(lineage))
        if not sure and not foreign - {"object"}:
            return []
        body: dict[str, Binding] = {}
        for ancestor in reversed(lineage):
            body.update(names_of(ancestor.body))
        if isinstance(body.get("__test__"), ast.Assign):
            return []
        around = (*around, *lineage)
        found: list[Test] = []
        for name, inner in body.items():
            if isinstance(inner, FUNCTIONS) and name.startswith("test") and not fixture_of(inner):
                found.append(Test(f"{prefix}::{name}", inner, around, sure))
            elif isinstance(inner, ast.ClassDef) and sure and not unittest:
                found += self.of_class(f"{prefix}::{name}", inner, body, around)
        if sure and not found and (foreign - CASES - {"object"} or isinstance(body.get("runTest"), FUNCTIONS)):
            return [Test(prefix, None, around)]
        return found

    def lineage(
        self, node: ast.ClassDef, scope: Mapping[str, Binding], depth: int = DEEPEST_LINEAGE
    ) -> tuple[list[ast.ClassDef], set[str]]:
        """The class with its ancestors of this file, nearest first, and the names of those from elsewhere."""
        lineage = [node]
        foreign: set[str] = set()
        for base in node.bases:
            name = last_name(base)
            known = scope.get(name) or self.scope.get(name)
            if isinstance(known, ast.Assign):
                name = last_name(known.value)
            if isinstance(known, ast.ClassDef) and known is not node and depth:
                more, others = self.lineage(known, scope, depth - 1)
                lineage += more
                foreign |= others
            else:
                foreign.add(self.imported.get(name, name))
        return lineage, foreign

    def ids_of(self, test: Test) -> list[ExpectedTest]:
        name, node = test.id, test.node
        if node is None or self.is_open_ended(test, node):
            return [any_of(name)]
        calls = parametrisations(node)
        if not calls:
            return [{"id": name, "many": False}]
        ids = [part for call in reversed(calls) if (part := ids_of(call)) is not None]
        if len(ids) < len(calls):
            return [any_of(name)]
        known = [[one for one in part if one is not None] for part in ids]
        if known != ids or any(len(set(part)) < len(part) for part in ids):
            count = 1
            for part in ids:
                count *= len(part)
            return [{"id": name, "many": True, "count": count}]
        return [{"id": f"{name}[{'-'.join(combined)}]", "many": False} for combined in itertools.product(*known)]

    def is_open_ended(self, test: Test, node: Function) -> bool:
        """Whether something beside the function's own decorators gives it parameters."""
        marks = any(parametrisations(around) or marked(around.body) for around in test.classes)
        taken = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
        own = {argument for call in parametrisations(node) for argument in argument_names(call)}
        by_fixture = any(
            parametrised(self.fixtures[name]) for name in taken if name in self.fixtures and name not in own
        )
        return self.open_ended or marks or by_fixture
