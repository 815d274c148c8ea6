"""Puts questions before the real one: a value that counts, or learns from what it is asked, cannot tell them from it. The
real question is put among them too, from here and not from the test: a value whose answer hangs on who asks, or from
how deep, gives another one here."""

from __future__ import annotations

import ast
import operator
import random

from check.counter.falsify.answers import passes
from check.counter.falsify.attempts import members
from check.counter.falsify.first_answers import FirstAnswers
from check.counter.falsify.sides import pairs
from check.counter.falsify.unlike import unlike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from check.counter.falsify.first_answers import Question
    from check.counter.falsify.sides import Side
    from check.counter.falsify.tally import Tally

draw = random.SystemRandom()
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.In: lambda left, right: left in right,
    **{ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge},
}
ORDERING = ("__lt__", "__le__", "__gt__", "__ge__")


def asked_first(kind: type[ast.cmpop], left: Side, right: Side, counter: Tally) -> FirstAnswers:
    """Each value gets a plain question first, because one that is used up by a comparison cannot tell anything after
    that. The real one stands anywhere among the rest, so that nothing tells which it is."""
    counter.tell(b"?")
    drawn = [some(value, others) for value, others in questions(kind, left, right) if others]
    first = [agreed for question, *_ in drawn for agreed in answered_yes([question])]
    if first:
        counter.tell(b"!")
    rest = [question for _, *more in drawn for question in more]
    draw.shuffle(rest)
    at = draw.randint(0, len(rest))
    before = answered_yes(rest[:at])
    wavered = denies(kind, left, right)
    return FirstAnswers(bool(first), wavered, [*first, *before, *answered_yes(rest[at:])])


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


def some(value: object, others: Sequence[object]) -> list[Question]:
    """A random number of questions, so that no value can wait for the last one."""
    count = draw.randint(min(2, len(others)), len(others))
    return [(value, other) for other in draw.sample(others, count)]


def answered_yes(asked: Sequence[Question]) -> list[Question]:
    return [question for question in asked if passes(operator.eq, *question)]


def is_decided_by_project(kind: type[ast.cmpop], left: Side, right: Side) -> bool:
    """An iterator has no code of its own for `in`, and asking would use it up."""
    if kind is ast.Eq:
        return any(side.answers_by("__eq__") for pair in pairs(left, right) for side in pair)
    if kind is ast.In:
        return right.answers_by("__contains__") or any(
            is_decided_by_project(ast.Eq, left, right.part(each)) for each in members(right.value)
        )
    return kind in COMPARE and any(side.answers_by(name) for side in (left, right) for name in ORDERING)
