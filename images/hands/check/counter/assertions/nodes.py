"""Tells from a syntax node alone what it is and what it is called."""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Function = ast.FunctionDef | ast.AsyncFunctionDef

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TRIES: tuple[type[ast.Try | ast.TryStar], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
LAZY = (ast.Lambda, ast.GeneratorExp)


def called(node: ast.AST | None) -> str:
    """The last part of a dotted name; for a call, that of the function called."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def conjuncts(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in conjuncts(value)]
    return [test]


def is_plain(node: ast.Call, least: int) -> bool:
    starred = any(isinstance(given, ast.Starred) for given in node.args)
    return isinstance(node.func, ast.Attribute) and not starred and len(node.args) >= least


def names_from_pytest(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "pytest":
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.asname or "pytest" for alias in node.names if alias.name == "pytest")
