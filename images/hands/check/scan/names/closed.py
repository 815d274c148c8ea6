"""Tells whether an expression is made of constants alone, by means that have no other input."""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from check.scan.names.scope import Binding, Scope

    # counts steps, and ends the reading of a file that needs too many
    Spend = Callable[[int], None]

PURE = {
    *["str", "bytes", "bytearray", "chr", "ord", "int", "hex", "range", "len", "map", "filter", "zip", "enumerate"],
    *["reversed", "sorted", "list", "tuple", "dict", "set", "repr", "ascii", "format", "sum", "min", "max", "slice"],
    *["memoryview", "next", "iter", "abs", "round", "pow", "divmod", "bool", "dir"],
}
PURE_MODULES = {"base64", "codecs", "binascii", "zlib", "string", "functools", "itertools", "operator", "struct"}
LISTING = {"dir", "vars"}


def is_closed(node: ast.expr, scope: Scope, spend: Spend) -> bool:
    return not is_empty(node) and hangs_on_nothing(node, scope, spend, set())


def is_empty(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple, ast.Dict)) and not getattr(node, "elts", getattr(node, "keys", None))


def hangs_on_nothing(node: ast.expr, scope: Scope, spend: Spend, seen: set[int]) -> bool:
    """`seen`: bindings that are being looked at, because a name made from itself adds nothing."""
    nodes = list(ast.walk(node))
    spend(len(nodes))
    own = {inner.id for inner in nodes if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)}
    own |= {inner.arg for inner in nodes if isinstance(inner, ast.arg)}
    listed = {
        argument
        for inner in nodes
        if isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in LISTING
        for argument in inner.args
    }
    names = {inner.id for inner in nodes if isinstance(inner, ast.Name) and inner not in listed} - own
    return all(is_pure(name, scope, spend, seen) for name in names)


def is_pure(name: str, scope: Scope, spend: Spend, seen: set[int]) -> bool:
    bindings = scope.find(name)
    if bindings is None:
        return name in PURE
    if id(bindings) in seen:
        return True
    seen.add(id(bindings))
    return bool(bindings) and all(is_pure_binding(binding, spend, seen) for binding in bindings)


def is_pure_binding(binding: Binding, spend: Spend, seen: set[int]) -> bool:
    spend(1)
    if binding[0] == "name":
        return binding[1].partition(".")[0] in PURE_MODULES
    if binding[0] == "value" or binding[0] == "each" or binding[0] == "holds":
        return hangs_on_nothing(binding[1], binding[2], spend, seen)
    return False
