"""Draws values for questions that an honest comparison or container does not answer with yes."""

import datetime
import decimal
import fractions
import operator
import random
import string

draw = random.SystemRandom()
ABOVE = {operator.lt: operator.gt, operator.le: operator.ge}
BELOW = {operator.gt: operator.lt, operator.ge: operator.le}
MIRRORED = {
    **{operator.lt: operator.gt, operator.gt: operator.lt},
    **{operator.le: operator.ge, operator.ge: operator.le},
}
NUMBERS = (int, float, decimal.Decimal, fractions.Fraction)
TIMES = (datetime.date, datetime.datetime, datetime.timedelta)


def contradictions(compare, other):
    """A comparison, and values for it of which an honest value refuses at least one: if it lies before `other`, it
    cannot lie behind all that is behind `other`."""
    if compare in ABOVE:
        return ABOVE[compare], farther(other, 1)
    return BELOW[compare], farther(other, -1)


def farther(other, way):
    kind = type(other)
    if kind in NUMBERS and other == other and abs(other) != float("inf"):
        return [other + way * draw.randint(1, 9) * 10**power for power in (0, draw.randint(1, 4), draw.randint(5, 9))]
    if kind in TIMES:
        return [other + datetime.timedelta(days=way * draw.randint(first, 9 * first)) for first in (1, 10, 1000)]
    if kind is str and (way > 0 or other):
        return [chr(0x10FFFF) * (len(other) + 1), chr(0x10FFFE) * (len(other) + 2)] if way > 0 else [""]
    return []


def anywhere(value):
    """Other values of the same kind, near it and very far from it."""
    kind = type(value)
    if kind in (int, float):
        far = [sign * draw.randint(10**12, 10**13) for sign in (1, -1)]
        return [*far, value + 1, value - 1, value + 0.5, -value - 0.25]
    if kind is str:
        drawn = "".join(draw.choices(string.ascii_letters, k=draw.randint(20, 40)))
        return ["q7", drawn, "\x00\x07", chr(draw.randint(0x4E00, 0x9FFF)) * 3, " " * draw.randint(9, 30) + "\n"]
    return []
