"""Draws values for questions that an honest comparison or container does not answer with yes."""

from __future__ import annotations

import datetime
import decimal
import fractions
import operator
import random
import string

from check.counter.falsify.decimals import own_context
from check.project.kinds import is_one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard

    Compare = Callable[[Any, Any], object]

draw = random.SystemRandom()
ABOVE: dict[Compare, Compare] = {operator.lt: operator.gt, operator.le: operator.ge}
BELOW: dict[Compare, Compare] = {operator.gt: operator.lt, operator.ge: operator.le}
MIRRORED: dict[Compare, Compare] = {
    **{operator.lt: operator.gt, operator.gt: operator.lt},
    **{operator.le: operator.ge, operator.ge: operator.le},
}
NUMBERS = (int, float, decimal.Decimal, fractions.Fraction)
TIMES = (datetime.date, datetime.datetime, datetime.timedelta)


def contradictions(compare: Compare, other: object) -> tuple[Compare, list[object]]:
    """A comparison, and values for it of which an honest value refuses at least one: if it lies before `other`, it
    cannot lie behind all that is behind `other`."""
    if compare in ABOVE:
        return ABOVE[compare], farther(other, 1)
    return BELOW[compare], farther(other, -1)


def farther(other: object, way: int) -> list[object]:
    try:
        with own_context():
            return beyond(other, way)
    except ArithmeticError:
        return []  # such as the last day there is


def beyond(other: object, way: int) -> list[object]:
    if is_number(other) and other == other and abs(other) != float("inf"):
        return [other + way * draw.randint(1, 9) * 10**power for power in (0, draw.randint(1, 4), draw.randint(5, 9))]
    if is_time(other):
        return [other + datetime.timedelta(days=way * draw.randint(first, 9 * first)) for first in (1, 10, 1000)]
    if type(other) is str and (way > 0 or other):
        return [chr(0x10FFFF) * (len(other) + 1), chr(0x10FFFE) * (len(other) + 2)] if way > 0 else [""]
    return []


def is_number(value: object) -> TypeGuard[int | float | decimal.Decimal | fractions.Fraction]:
    return is_one_of(type(value), NUMBERS)


def is_plain_number(value: object) -> TypeGuard[int | float]:
    return type(value) is int or type(value) is float


def is_time(value: object) -> TypeGuard[datetime.date | datetime.timedelta]:
    return is_one_of(type(value), TIMES)


def anywhere(value: object) -> list[object]:
    """Other values of the same kind, near it and very far from it."""
    try:
        return near_and_far(value)
    except ArithmeticError:
        return []  # such as a whole number that is too large to add half of one


def near_and_far(value: object) -> list[object]:
    if is_plain_number(value):
        far = [sign * draw.randint(10**12, 10**13) for sign in (1, -1)]
        return [*far, value + 1, value - 1, value + 0.5, -value - 0.25]
    if type(value) is str:
        drawn = "".join(draw.choices(string.ascii_letters, k=draw.randint(20, 40)))
        return ["q7", drawn, "\x00\x07", chr(draw.randint(0x4E00, 0x9FFF)) * 3, " " * draw.randint(9, 30) + "\n"]
    return []
