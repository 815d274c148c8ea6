"""Tells which expressions are literals, and which constants make them up."""

from __future__ import annotations

import ast

from check.counter.assertions.nodes import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ORDERED = (ast.List, ast.Tuple)
DISPLAYS = (*ORDERED, ast.Set)
# A call of these stands for its only argument.
MAKERS = {"approx", "Decimal", "Fraction", "Path", "PurePath", "set", "frozenset", "tuple", "list", "bytearray"}
DRAWABLE = (str, bytes, int, float)


def is_literal(node: ast.AST) -> bool:
    return any(True for _ in leaves(node))


def leaves(node: ast.AST) -> list[ast.Constant]:
    """The constants that make up a literal; none if any part of it is no literal."""
    found = [*pieces(node)]
    return [] if None in found else [piece for piece in found if piece is not None and is_drawable(piece)]


def pieces(node: ast.AST) -> Iterator[ast.Constant | None]:
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        yield from pieces(node.operand)
    elif isinstance(node, DISPLAYS):
        for each in node.elts:
            yield from pieces(each)
    elif isinstance(node, ast.Dict) and None not in node.keys:
        for each in node.values:
            yield from pieces(each)
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and called(node) in MAKERS:
        yield from pieces(node.args[0])
    else:
        yield None


def is_drawable(constant: ast.Constant) -> bool:
    return type(constant.value) in (bool, *DRAWABLE)


def parsed(source: bytes) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
