import ast
from collections.abc import Callable

from _pytest._code.source import Source

getstatementrange_ast: Callable[[int, Source, bool, ast.AST | None], tuple[ast.AST, int, int]]
