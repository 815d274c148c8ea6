"""Finds where a name is used."""

from __future__ import annotations

import ast


def reads_of(scope: ast.AST, name: object) -> list[ast.Name]:
    return [node for node in named(scope, name) if isinstance(node.ctx, ast.Load)]


def named(scope: ast.AST, name: object) -> list[ast.Name]:
    """Every use of a name. Each scope is walked once, because a file may be long."""
    uses: dict[object, list[ast.Name]] | None = getattr(scope, "names", None)
    if uses is None:
        uses = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Name):
                uses.setdefault(node.id, []).append(node)
        setattr(scope, "names", uses)
    return uses.get(name, [])
