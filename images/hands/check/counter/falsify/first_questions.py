"""Puts questions before the real one: a value that counts, or learns from what it is asked, cannot tell them from it. The
real question is put among them too, from here and not from the test: a value whose answer hangs on who asks, or from
how deep, gives another one here."""

from __future__ import annotations

import ast
import operator
import random

from check.counter.falsify.answers import passes
from check.counter.falsify.attempts import members
from check.counter.falsify.sides import pairs
from check.counter.falsify.unlike import unlike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from check.counter.falsify.sides import Side
    from check.counter.falsify.tally import Tally

    # two values, and whether it counts if they are said to be equal
    Question = tuple[object, object, bool]

draw = random.SystemRandom()
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.In: lambda left, right: left in right,
    **{ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge},
}
ORDERING = ("__lt__", "__le__", "__gt__", "__ge__")


def asked_first(kind: type[ast.cmpop], left: Side, right: Side, counter: Tally) -> tuple[bool, bool]:
    """Whether a plain question was answered with yes, which an honest value may do, but then it says yes to the real one
    too; and whether the real one was answered with no. Nothing tells which it is: it stands anywhere among the others."""
    counter.tell(b"?")
    plain = [one for value, others in questions(kind, left, right) for one in some(value, others)]
    at = draw.randint(0, len(plain))
    strayed = strays(plain[:at], counter)
    wavered = denies(kind, left, right)
    return strays(plain[at:], counter) or strayed, wavered


def denies(kind: type[ast.cmpop], left: Side, right: Side) -> bool:
    """Whether code of the project decides the comparison, and answers it with no when it is asked from here."""
    return is_decided_by_project(kind, left, right) and not passes(COMPARE[kind], left.value, right.value)


def questions(kind: type[ast.cmpop], left: Side, right: Side) -> Iterator[tuple[object, Sequence[object]]]:
    """Pairs of a value to ask and the values to ask it about. No value is asked whether it contains one of these, because
    that may use it up."""
    for one, other in pairs(left, right) if kind is ast.Eq else ():
        for asked, about in ((one, other), (other, one)):
            if asked.answers_by("__eq__"):
                yield asked.value, unlike(about.value)


def some(value: object, others: Sequence[object]) -> Iterator[Question]:
    """A random number of questions, so that no value can wait for the last one."""
    if others:
        for number, other in enumerate(draw.sample(others, draw.randint(1, len(others)))):
            yield value, other, number == 0


def strays(plain: Sequence[Question], counter: Tally) -> bool:
    return any([says_yes(*each, counter) for each in plain])


def says_yes(value: object, other: object, counts: bool, counter: Tally) -> bool:
    yes = passes(operator.eq, value, other) and counts
    if yes:
        counter.tell(b"!")
    return yes


def is_decided_by_project(kind: type[ast.cmpop], left: Side, right: Side) -> bool:
    """An iterator has no code of its own for `in`, and asking would use it up."""
    if kind is ast.Eq:
        return any(side.answers_by("__eq__") for pair in pairs(left, right) for side in pair)
    if kind is ast.In:
        return right.answers_by("__contains__") or any(
            is_decided_by_project(ast.Eq, left, right.part(each)) for each in members(right.value)
        )
    return kind in COMPARE and any(side.answers_by(name) for side in (left, right) for name in ORDERING)
