"""Asks values of the project questions, whatever their code raises."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def says_no(test: Callable[..., object], *given: object) -> bool:
    try:
        return not test(*given)
    except BaseException:
        return False


def passes(test: Callable[..., object], *given: object) -> bool:
    try:
        return bool(test(*given))
    except BaseException:
        return False


def answers(test: Callable[..., object], *given: object) -> bool:
    try:
        test(*given)
    except BaseException:
        return False
    return True
