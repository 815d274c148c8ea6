"""Writes out the arguments of a call, or the value that is assigned, for rules that look at them."""

import ast

LONGEST = 4000
MOST_NAMES = 12


def spelled(fact, facts):
    """The arguments as written, then a line for each name in them: `name = value`, or `name in iterable`."""
    if fact.on == "text":
        return fact.name
    if isinstance(fact.node, ast.Call):
        given = [*fact.node.args, *fact.node.keywords]
    else:
        statement = facts.walk.assigned.get(id(fact.node))
        given = [value for value in [getattr(statement, "value", None)] if value is not None]
    lines = [", ".join(ast.unparse(one)[:LONGEST] for one in given)]
    lines += bindings_in(given, fact.scope, set(), depth=2)
    return "\n".join(lines)[:LONGEST]


def bindings_in(nodes, scope, seen, depth):
    names = {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    for name in sorted(names - seen)[:MOST_NAMES]:
        seen.add(name)
        for kind, value, its in (scope.find(name) or ())[:MOST_NAMES]:
            if kind in ("value", "each"):
                yield f"{name} {'=' if kind == 'value' else 'in'} {ast.unparse(value)[:LONGEST]}"
                if depth:
                    yield from bindings_in([value], its, seen, depth - 1)
