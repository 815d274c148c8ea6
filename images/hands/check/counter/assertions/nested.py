"""Finds the comparisons inside assertions."""

from __future__ import annotations

import ast

from check.counter.assertions.sites import Place
from check.counter.assertions.surroundings import Surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from check.counter.assertions.sites import Condition, File

    Position = tuple[int | None, ...]


class Nested(Place):
    """One comparison of an assertion, or one question for a class."""

    def __init__(self, file: File, node: ast.expr, where: Surroundings | None = None) -> None:
        super().__init__(file, node, where or Surroundings(file.path), node)


def within(file: File) -> dict[Position, Condition]:
    """Comparisons inside assertions, as in a generator, a chain or an alternative: by place, each with its
    assertion."""
    found: dict[Position, Condition] = {}
    for site in file.sites:
        if site.kind == "condition":
            held = [node for node in ast.walk(site.node) if isinstance(node, ast.Compare)]
            left_out = {id(each) for node in held for each in (node.left, *node.comparators)}
            left_out |= {id(each) for each in iterated(site.node)}
            for node in held:
                if id(node) not in left_out and (node is not site.node or len(node.ops) > 1):
                    found[place(node)] = site
    return found


def iterated(node: ast.AST) -> Iterator[ast.AST]:
    """The iterables of comprehensions, in which Python allows no assignment expression."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.comprehension):
            yield from ast.walk(inner.iter)


def place(node: ast.AST) -> Position:
    """The position of a node, which pytest's rewriter keeps."""
    return tuple(getattr(node, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
