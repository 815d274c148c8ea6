"""Finds where test code may catch the failure of an assertion."""

from __future__ import annotations

import ast

from check.counter.assertions.nodes import FUNCTIONS, TRIES, called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from check.counter.assertions.nodes import Function

EXPECTING = {"raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex"}
CATCHING = EXPECTING | {"suppress", "RaisesGroup", "RaisesExc", "deprecated_call", "assertLogs", "assertNoLogs"}
FAILURES = {"AssertionError", "Exception", "BaseException", "failureException"}


def may_catch(node: ast.Try | ast.TryStar) -> bool:
    leaves = (ast.Return, ast.Break, ast.Continue)
    return bool(node.handlers) or any(isinstance(inner, leaves) for last in node.finalbody for inner in ast.walk(last))


def catchers_in(trees: Iterable[ast.AST], known: Iterable[str] = CATCHING) -> set[str]:
    """`known`, and the names that test code defines for catching failures: managers, and decorators that use them."""
    names = set(known)
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, (*FUNCTIONS, ast.ClassDef))]
    while more := {node.name for node in nodes if node.name not in names and catches(node, names)}:
        names |= more
    return names


def catches(node: Function | ast.ClassDef, names: Collection[str]) -> bool:
    if isinstance(node, ast.ClassDef):
        leaving = [inner for inner in node.body if getattr(inner, "name", "") in ("__exit__", "__aexit__")]
        returned = [inner.value for way in leaving for inner in ast.walk(way) if isinstance(inner, ast.Return)]
        return any(value is not None and not is_false(value) for value in returned)
    return any(
        (isinstance(inner, TRIES) and any(catches_failures(handler) for handler in inner.handlers))
        or (isinstance(inner, ast.withitem) and called(inner.context_expr) in names)
        for inner in ast.walk(node)
        if inner is not node
    )


def is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def catches_failures(handler: ast.ExceptHandler) -> bool:
    """Whether a handler may catch a failed assertion. A name in lower case may be any exception, and counts."""
    if isinstance(handler.body[-1], ast.Raise):
        return False
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(called(kind) in (None, "", *FAILURES) or called(kind)[0].islower() for kind in kinds)
