"""Tells whether an expression is made of constants alone, by means that have no other input."""

import ast

PURE = {
    *["str", "bytes", "bytearray", "chr", "ord", "int", "hex", "range", "len", "map", "filter", "zip", "enumerate"],
    *["reversed", "sorted", "list", "tuple", "dict", "set", "repr", "ascii", "format", "sum", "min", "max", "slice"],
    *["memoryview", "next", "iter", "abs", "round", "pow", "divmod", "bool", "dir"],
}
PURE_MODULES = {"base64", "codecs", "binascii", "zlib", "string", "functools", "itertools", "operator", "struct"}
LISTING = {"dir", "vars"}


def is_closed(node, scope, spend):
    return not is_empty(node) and hangs_on_nothing(node, scope, spend, set())


def is_empty(node):
    return isinstance(node, (ast.List, ast.Tuple, ast.Dict)) and not getattr(node, "elts", getattr(node, "keys", None))


def hangs_on_nothing(node, scope, spend, seen):
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


def is_pure(name, scope, spend, seen):
    bindings = scope.find(name)
    if bindings is None:
        return name in PURE
    if id(bindings) in seen:
        return True
    seen.add(id(bindings))
    return bool(bindings) and all(is_pure_binding(binding, spend, seen) for binding in bindings)


def is_pure_binding(binding, spend, seen):
    kind, what, scope = binding
    spend(1)
    if kind == "name":
        return what.partition(".")[0] in PURE_MODULES
    return kind in ("value", "each", "holds") and hangs_on_nothing(what, scope, spend, seen)
