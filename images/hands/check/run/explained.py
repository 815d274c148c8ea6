"""Parses each file once for all of its failures. pytest explains a failure with the statement that failed, and parses
and walks the whole file each time: with hundreds of failing sets of parameters that takes longer than the tests."""

from __future__ import annotations

from _pytest._code import code

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from _pytest._code.source import Source


def once_for_each_file() -> None:
    find = code.getstatementrange_ast
    trees: dict[tuple[str, ...], ast.AST] = {}

    def found(
        lineno: int, source: Source, assertion: bool = False, astnode: ast.AST | None = None
    ) -> tuple[ast.AST, int, int]:
        lines = tuple(source.lines)
        tree, start, end = find(lineno, source, assertion, trees.get(lines, astnode))
        trees[lines] = tree
        return tree, start, end

    code.getstatementrange_ast = found
