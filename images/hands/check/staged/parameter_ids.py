"""Tells the ids that pytest gives to sets of parameters, as far as the file shows them."""

from __future__ import annotations

import ast

from check.staged.syntax import decorator_name, keyword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def argument_names(call: ast.expr) -> list[object]:
    given = call.args[0] if isinstance(call, ast.Call) and call.args else keyword(call, "argnames")
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [name.strip() for name in given.value.split(",") if name.strip()]
    if isinstance(given, (ast.List, ast.Tuple)):
        return [item.value for item in given.elts if isinstance(item, ast.Constant)]
    return []


def ids_of(call: ast.expr) -> list[str | None] | None:
    """An id for each set of parameters, None for an id that only a run can tell; None for the whole if the values are
    no literal list."""
    if not isinstance(call, ast.Call):
        return None
    names = argument_names(call)
    values = call.args[1] if len(call.args) > 1 else keyword(call, "argvalues")
    if not names or not isinstance(values, (ast.List, ast.Tuple)) or not values.elts:
        return None
    if any(isinstance(item, ast.Starred) for item in values.elts):
        return None
    given = keyword(call, "ids")
    if given is not None:
        texts = [text_id(item) for item in getattr(given, "elts", [])]
        return texts if len(texts) == len(values.elts) else [None for _ in values.elts]
    return [id_of_set(item, len(names)) for item in values.elts]


def id_of_set(item: ast.expr, width: int) -> str | None:
    parts: Sequence[ast.expr] | None = [item] if width == 1 else getattr(item, "elts", None)
    if isinstance(item, ast.Call) and decorator_name(item) == "param":
        named = keyword(item, "id")
        if named is not None:
            return text_id(named)
        parts = item.args
    texts = [text for part in parts or [] if (text := text_id(part)) is not None]
    return None if not parts or len(texts) != len(parts) or len(texts) != width else "-".join(texts)


def text_id(node: ast.expr) -> str | None:
    """The id as pytest writes it, for values that all its versions spell alike; None for others."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        return str(-number) if isinstance(number, (int, float)) and not isinstance(number, bool) else None
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, str):
        plain = node.value.isascii() and node.value.isprintable() and "\\" not in node.value
        return node.value if plain else None
    return str(node.value) if node.value is None or isinstance(node.value, (int, float)) else None
