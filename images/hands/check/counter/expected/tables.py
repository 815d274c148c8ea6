"""Reads tables of values in tests: the names of their columns, their rows, and the cells of a row."""

from __future__ import annotations

import ast

from check.counter.assertions.nodes import called
from check.counter.expected.literals import DISPLAYS, ORDERED
from check.counter.expected.name_uses import named


def names_in(given: ast.expr) -> list[object]:
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [name.strip() for name in given.value.split(",") if name.strip()]
    found = given.elts if isinstance(given, DISPLAYS) else []
    return [each.value for each in found if isinstance(each, ast.Constant)]


def table_in(given: ast.expr, tree: ast.Module, several: bool) -> list[list[ast.expr]]:
    """The cells of each row; `several`: whether a row is made of them, or is one itself."""
    return [cells_in(row) if several else [row] for row in rows_in(given, tree)]


def rows_in(given: ast.expr, tree: ast.Module) -> list[ast.expr]:
    """The rows of a display, of a name that is read nowhere else, or of a table's items()."""
    if isinstance(given, ast.Call) and called(given) == "items" and isinstance(given.func, ast.Attribute):
        table = resolved(given.func.value, tree)
        if not isinstance(table, ast.Dict) or None in table.keys:
            return []
        pairs = zip(table.keys, table.values, strict=True)
        return [ast.Tuple([key, value]) for key, value in pairs if key is not None]
    given = resolved(given, tree)
    return given.elts if isinstance(given, ORDERED) else []


def resolved(given: ast.expr, tree: ast.Module) -> ast.expr:
    uses = named(tree, given.id) if isinstance(given, ast.Name) else ()
    if len(uses) != 2:
        return given
    assigned = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0] in uses]
    return assigned[0] if len(assigned) == 1 else given


def cells_in(row: ast.expr) -> list[ast.expr]:
    if isinstance(row, ast.Call):
        return row.args if called(row) == "param" else []
    return row.elts if isinstance(row, (ast.Tuple, ast.List)) else []
