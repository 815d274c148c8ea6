import ast
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import CodeType
from typing import Any

from _pytest.config import Config

assertstate_key: Any
_rewrite_test: Callable[[Path, Config], tuple[object, CodeType]]
_read_pyc: Callable[..., CodeType | None]
_write_pyc: Callable[..., bool]

class AssertionRewriter:
    def __init__(self, module_path: str | None, config: Config | None, source: bytes) -> None: ...
    def run(self, mod: ast.Module) -> None: ...
    def visit_Assert(self, assert_: ast.Assert, /) -> list[ast.stmt]: ...

class AssertionRewritingHook(MetaPathFinder):
    def __init__(self, config: Config) -> None: ...
    def mark_rewrite(self, *names: str) -> None: ...
