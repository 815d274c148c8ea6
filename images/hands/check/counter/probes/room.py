"""Gives probes room on the stack. Code under test may have left just enough of it for its own comparison, so that every
question that a probe asks would end in an error."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    Given = ParamSpec("Given")
    Result = TypeVar("Result")

ROOM = 1_000
limit_of, set_limit = sys.getrecursionlimit, sys.setrecursionlimit


def with_room(call: Callable[Given, Result]) -> Callable[Given, Result]:
    """Takes no deeper frame to make room than a comparison of the test itself takes."""

    def roomy(*given: Given.args, **keywords: Given.kwargs) -> Result:
        __tracebackhide__ = True
        before = limit_of()
        set_limit(before + ROOM)
        try:
            return call(*given, **keywords)
        finally:
            if limit_of() == before + ROOM:
                set_limit(before)

    return roomy
