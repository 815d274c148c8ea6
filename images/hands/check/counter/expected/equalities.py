"""Finds the equalities that an assertion depends on, and their operands."""

from __future__ import annotations

import ast

from check.counter.assertions.nodes import called
from check.counter.expected.literals import is_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from check.counter.assertions.sites import CallSite, Site

EQUAL = (ast.Eq, ast.Is)
EQUAL_METHODS = {
    f"assert{name}"
    for name in """Equal Is AlmostEqual CountEqual ListEqual TupleEqual SetEqual DictEqual SequenceEqual
    MultiLineEqual""".split()
}


def compared_in(site: Site) -> Iterator[ast.expr]:
    """Operands of the equalities that an assertion depends on."""
    for node in equalities(site):
        if not all(is_literal(each) for each in operands(node)):
            yield from operands(node)


def equalities(site: Site) -> Iterator[ast.Compare | ast.Call]:
    """The comparison of a condition, also one of all items in `all`, or the call of a method that compares values."""
    if site.kind != "condition":
        yield from [site.call] if is_equal_method(site) else []
        return
    node = site.node
    if isinstance(node, ast.Call) and called(node) == "all" and len(node.args) == 1:
        node = getattr(node.args[0], "elt", None)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], EQUAL):
        yield node


def is_equal_method(site: CallSite) -> bool:
    """Whether the method compares two values exactly: with `places` or `delta`, another value may be equal too."""
    call = site.call
    known = site.kind == "method" and called(call) in EQUAL_METHODS
    return known and len(call.args) == 2 and not {"places", "delta"} & {each.arg for each in call.keywords}


def operands(node: ast.Compare | ast.Call) -> list[ast.expr]:
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else node.args[:2]
