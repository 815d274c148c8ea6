"""Asks values of the project questions, whatever their code raises."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

limit_of, set_limit = sys.getrecursionlimit, sys.setrecursionlimit


def says_no(test: Callable[..., object], *given: object) -> bool:
    return asked(test, given) is False


def passes(test: Callable[..., object], *given: object) -> bool:
    return asked(test, given) is True


def answers(test: Callable[..., object], *given: object) -> bool:
    try:
        test(*given)
    except BaseException:
        return False
    return True


def asked(test: Callable[..., object], given: tuple[object, ...]) -> bool | None:
    """None if it raises. A value that is asked must not take the room for the next question."""
    limit = limit_of()
    try:
        return bool(test(*given))
    except BaseException:
        return None
    finally:
        if limit_of() < limit:
            set_limit(limit)
