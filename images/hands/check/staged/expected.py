"""Lists the tests that have to turn up in the report for a staged file, told from its syntax tree alone."""

from __future__ import annotations

import ast

from check.staged.module_tests import Module, any_of
from check.staged.syntax import UNREADABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.wire.shapes import ExpectedTest


def expected_of(path: str, source: str) -> list[ExpectedTest]:
    try:
        module = ast.parse(source)
    except UNREADABLE:
        return [any_of(path)]
    found = Module(path, module).tests()
    return found or [any_of(path)]
