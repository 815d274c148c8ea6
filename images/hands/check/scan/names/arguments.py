"""Binds the parameters of the functions of a file to the arguments that they are called with in it."""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from check.scan.names.scope import Scope
    from check.scan.names.walk import Walk

PASSED = (ast.Name, ast.Attribute, ast.Constant)


def pass_arguments(walk: Walk) -> None:
    for node, scope in walk.seen:
        if isinstance(node, ast.Call):
            for inner in functions_of(walk, node.func, scope):
                pass_to(inner, node, scope)


def pass_to(inner: Scope, call: ast.Call, scope: Scope) -> None:
    pairs = [*zip(inner.parameters, call.args), *((given.arg, given.value) for given in call.keywords)]
    for name, value in pairs:
        if name in inner.names and isinstance(value, PASSED):
            inner.bind(name, ("value", value, scope))
    for name in inner.rest:
        inner.names[name].extend(("holds", value, scope) for _, value in pairs)
        inner.names[name].extend(("holds", value, scope) for value in call.args)


def functions_of(walk: Walk, node: ast.expr, scope: Scope) -> Sequence[Scope]:
    """Functions of this file that a callee may be."""
    if isinstance(node, ast.Attribute):
        return walk.functions.get(node.attr, ())
    if isinstance(node, ast.Lambda):
        return [walk.inner[id(node)]]
    bindings = scope.find(node.id) or () if isinstance(node, ast.Name) else ()
    named = [binding[1] for binding in bindings if binding[0] == "function"]
    return [*named, *(walk.inner[id(binding[1])] for binding in bindings if isinstance(binding[1], ast.Lambda))]
