"""Finds unusual literals that code returns or compares with, and tells whether the acceptance tests have them too."""

from __future__ import annotations

import ast
import functools

from check.tree.imports import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEAST_TEXT = 12
LEAST_DIGITS = 5
LEAST_ELEMENTS = 3
MOST_ELEMENTS = 50
CONTAINERS = (ast.Tuple, ast.List, ast.Dict)
AGREEABLE = {
    *["__eq__", "__contains__", "__lt__", "__le__", "__gt__", "__ge__", "__instancecheck__"],
    *["__subclasscheck__", "__subclasshook__"],
}


def answers(node: ast.expr) -> Iterator[ast.expr]:
    """Unusual literals in what is given back or compared, also in a table or a choice."""
    if isinstance(node, (ast.Constant, ast.UnaryOp)):
        if is_unusual(node):
            yield node
    elif isinstance(node, CONTAINERS):
        inner = elements(node)
        if len(inner) <= MOST_ELEMENTS and is_unusual(node):
            yield node
        for one in inner:
            yield from answers(one)
    elif isinstance(node, ast.IfExp):
        yield from answers(node.body)
        yield from answers(node.orelse)
    elif isinstance(node, ast.Subscript):
        yield from answers(node.value)


def elements(node: ast.expr) -> list[ast.expr]:
    return [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]


def is_unusual(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return is_unusual(node.operand)
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, (str, bytes)):
            return len(value) >= LEAST_TEXT
        if type(value) is int or type(value) is float:
            return len(repr(abs(value)).replace(".", "").strip("0")) >= LEAST_DIGITS
        return False
    if not isinstance(node, CONTAINERS):
        return False
    inner = elements(node)
    constants = all(isinstance(one, (ast.Constant, ast.UnaryOp)) for one in inner)
    return constants and len(inner) >= LEAST_ELEMENTS and len(ast.unparse(node)) >= LEAST_TEXT


def stands_in(node: ast.AST, sources: Iterable[str]) -> bool:
    return spelling(node) in spellings(tuple(sources))


@functools.lru_cache(maxsize=1)
def spellings(sources: tuple[str, ...]) -> set[str]:
    kinds = (ast.Constant, ast.UnaryOp, *CONTAINERS)
    modules = [parse(source) for source in sources]
    return {spelling(node) for module in modules if module for node in ast.walk(module) if isinstance(node, kinds)}


def spelling(node: ast.AST) -> str:
    return repr(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def is_agreeable(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method of comparison agrees whatever it is asked."""
    body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    wanted = node.name != "__ne__"
    return node.name in {*AGREEABLE, "__ne__"} and isinstance(value, ast.Constant) and value.value is wanted
