"""Reads from the syntax tree of a test file what its names are bound to, and what its decorators are."""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Function = ast.FunctionDef | ast.AsyncFunctionDef
    Binding = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign
    # a class or function: something with decorators
    Decorated = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def names_of(body: Iterable[ast.stmt]) -> dict[str, Binding]:
    """The final binding of each name in a body, as far as it does not depend on a condition."""
    names: dict[str, Binding] = {}
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            names[node.name] = node
        elif isinstance(node, ast.Assign):
            names.update({name: node for target in node.targets for name in bound(target)})
        elif isinstance(node, ast.Try):
            names.update(names_of([*node.body, *node.orelse, *node.finalbody]))
        elif isinstance(node, ast.With):
            names.update(names_of(node.body))
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                names.pop(getattr(target, "id", ""), None)
    return names


def bound(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Attribute) and target.attr == "__test__" and isinstance(target.value, ast.Name):
        return [f"{target.value.id}.__test__"]
    return [name for inner in getattr(target, "elts", []) for name in bound(inner)]


def imported_from(name: str, module: ast.Module) -> list[ast.alias]:
    nodes = [node for node in ast.walk(module) if isinstance(node, ast.ImportFrom) and node.module == name]
    return [alias for node in nodes for alias in node.names]


def last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def decorator_name(node: ast.expr) -> str:
    return last_name(node.func if isinstance(node, ast.Call) else node)


def keyword(call: ast.expr, name: str) -> ast.expr | None:
    given: Sequence[ast.keyword] = getattr(call, "keywords", [])
    return next((one.value for one in given if one.arg == name), None)


def fixture_of(node: Decorated) -> ast.expr | None:
    return next((given for given in node.decorator_list if decorator_name(given) == "fixture"), None)


def fixture_name(fixture: ast.expr) -> object:
    named = keyword(fixture, "name")
    return named.value if isinstance(named, ast.Constant) else None


def parametrised(fixture: ast.expr) -> bool:
    return keyword(fixture, "params") is not None


def parametrisations(node: Decorated) -> list[ast.expr]:
    """The parametrize decorators from top to bottom."""
    return [given for given in node.decorator_list if decorator_name(given) == "parametrize"]


def marked(body: Iterable[ast.stmt]) -> bool:
    found = names_of(body).get("pytestmark")
    return found is not None and "parametrize" in ast.dump(found)


def constructed(lineage: Iterable[ast.ClassDef]) -> bool:
    return any(name in names_of(node.body) for node in lineage for name in ("__init__", "__new__"))


def is_test(node: Decorated, scope: Mapping[str, Binding]) -> bool:
    return f"{node.name}.__test__" not in scope and not fixture_of(node)
