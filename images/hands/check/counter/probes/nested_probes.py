"""Probes comparisons inside an assertion, and the questions that tests ask about classes."""

from __future__ import annotations

import ast

from check.counter.assertions.nested import Nested, place
from check.counter.assertions.nodes import FUNCTIONS
from check.counter.probes.probe_kinds import answered, compared, instance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from check.counter.assertions.nested import Position
    from check.counter.assertions.sites import Condition, File
    from check.counter.probes.probes import Probes

ASKING = ("isinstance", "issubclass")
SIMPLE = (ast.Name, ast.Constant)


def mark(file: File, found: Mapping[Position, Condition], probes: Probes) -> None:
    instead: dict[ast.AST, ast.AST] = {}
    for number, node in enumerate([*ast.walk(file.tree)]):
        if isinstance(node, ast.Compare) and place(node) in found:
            where = Nested(file, node, found[place(node)].where)
            if mark_compared(node, where, number, probes) and len(node.ops) == 1:
                instead[node] = probes.called(answered(probes.counter, where), [node], node)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) in ASKING and len(node.args) == 2:
            value, kinds = node.args
            given = [value, kinds] if isinstance(value, SIMPLE) else [kinds]
            probe = instance(probes.counter, Nested(file, node))
            node.args[1] = probes.called(probe, given, kinds)
    if instead:
        Exchanging(instead).visit(file.tree)


class Exchanging(ast.NodeTransformer):
    """Puts other expressions in place of some, at any depth."""

    def __init__(self, instead: dict[ast.AST, ast.AST]) -> None:
        self.instead = instead

    def visit(self, node: ast.AST) -> ast.AST:
        return self.generic_visit(self.instead.pop(node, node))


def mark_compared(node: ast.Compare, where: Nested, number: int, probes: Probes) -> bool:
    """False where a value cannot be given a name."""
    given = [node.left, *node.comparators]
    if any(not isinstance(each, SIMPLE) for each in given) and not isinstance(where.where.scope, FUNCTIONS):
        return False
    pairs = [twice(f"@{number}.{at}", each) for at, each in enumerate(given)]
    node.left = pairs[0][0]
    for at, operation in enumerate(node.ops):
        arguments = [pairs[at][1], pairs[at + 1][0]]
        node.comparators[at] = probes.called(compared(probes.counter, where, type(operation)), arguments, given[at + 1])
    return True


def twice(name: str, operand: ast.expr) -> tuple[ast.expr, ast.expr]:
    """The operand, and an expression that gives the same value again."""
    if isinstance(operand, SIMPLE):
        return operand, operand
    return kept(name, operand)


def kept(name: str, operand: ast.expr) -> tuple[ast.NamedExpr, ast.Name]:
    """The operand, which also gives its value a name; and that name."""
    store, load = (ast.copy_location(ast.Name(name, context), operand) for context in (ast.Store(), ast.Load()))
    return ast.copy_location(ast.NamedExpr(store, operand), operand), load
