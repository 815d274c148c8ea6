"""Tells whether an assertion can be made false fairly, from the functions, classes and marks around it."""

from __future__ import annotations

import ast

from check.counter.assertions.nodes import called
from check.project.installed_plugins import run_coroutines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypedDict, Unpack

    from check.counter.assertions.nodes import Function

    class SurroundingsChanges(TypedDict, total=False):
        prefix: str
        test: str | None
        function: Function
        scope: Function | ast.ClassDef
        unfair: str | None
        entered: tuple[ast.expr, ...]


LEFT_OUT_MARKS = {"skip", "xfail", "expectedFailure"}


class Surroundings:
    """The surroundings of a node: the test and the outermost function it is in, the innermost function or class, the
    managers and decorators that have been entered there, and what makes an assertion there unfair to make false."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.test: str | None = None
        self.function: Function | None = None
        self.scope: Function | ast.ClassDef | None = None
        self.unfair: str | None = None
        self.entered: tuple[ast.expr, ...] = ()

    def but(self, **changes: Unpack[SurroundingsChanges]) -> Surroundings:
        other = Surroundings(self.prefix)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        other.unfair = self.unfair or other.unfair
        return other


def unfairness_of(node: Function, where: Surroundings) -> str | None:
    if where.function is not None:
        return "in a nested function"
    if any(is_left_out(given) for given in node.decorator_list):
        return "left out by a mark"
    if node.name == "__del__":
        return "where failures are caught"
    bases = where.scope.bases if isinstance(where.scope, ast.ClassDef) else []
    is_run = run_coroutines() or any("Async" in (called(base) or "") for base in bases)
    if isinstance(node, ast.AsyncFunctionDef) and not is_run:
        return "in a coroutine"
    return None


def marks_in(body: Iterable[ast.stmt]) -> Iterator[ast.expr]:
    for node in body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "pytestmark" for target in node.targets):
            yield node.value


def is_left_out(mark: ast.AST) -> bool:
    return any(called(node) in LEFT_OUT_MARKS for node in ast.walk(mark) if isinstance(node, (ast.Attribute, ast.Name)))
