"""Writes out the arguments of a call, or the value that is assigned, for rules that look at them."""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from check.scan.facts.facts import Fact, Facts
    from check.scan.names.scope import Scope

LONGEST = 4000
MOST_NAMES = 12


def spelled(fact: Fact, facts: Facts) -> str:
    """The arguments as written, then a line for each name in them: `name = value`, or `name in iterable`."""
    if fact.on == "text":
        return fact.name
    if isinstance(fact.node, ast.Call):
        given: list[ast.expr | ast.keyword] = [*fact.node.args, *fact.node.keywords]
    else:
        value: ast.expr | None = getattr(facts.walk.assigned.get(id(fact.node)), "value", None)
        given = [] if value is None else [value]
    lines = [", ".join(ast.unparse(one)[:LONGEST] for one in given)]
    lines += bindings_in(given, fact.scope, set(), depth=2)
    return "\n".join(lines)[:LONGEST]


def bindings_in(nodes: Sequence[ast.AST], scope: Scope, seen: set[str], depth: int) -> Iterator[str]:
    names = {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    for name in sorted(names - seen)[:MOST_NAMES]:
        seen.add(name)
        for binding in (scope.find(name) or ())[:MOST_NAMES]:
            if binding[0] == "value" or binding[0] == "each":
                kind, value, its = binding
                yield f"{name} {'=' if kind == 'value' else 'in'} {ast.unparse(value)[:LONGEST]}"
                if depth:
                    yield from bindings_in([value], its, seen, depth - 1)
