"""Draws up comparisons that an honest value passes none of."""

from __future__ import annotations

import ast
import itertools
import operator

from check.counter.falsify.answers import answers, passes, says_no
from check.counter.falsify.contents import DICT
from check.counter.falsify.contradictions import MIRRORED, anywhere, contradictions
from check.counter.falsify.sides import pairs
from check.counter.falsify.strangers import fresh
from check.counter.falsify.unlike import like, unlike
from check.project.kinds import is_one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
    from typing import TypeGuard, Unpack

    from check.counter.falsify.contradictions import Compare
    from check.counter.falsify.sides import Side

    # a question, and the values that it is about
    Attempt = tuple[Callable[..., object], Unpack[tuple[object, ...]]]

OPPOSITE: dict[Compare, Compare] = {
    **{operator.lt: operator.ge, operator.le: operator.gt},
    **{operator.gt: operator.le, operator.ge: operator.lt},
}


def disorderly(compare: Compare) -> Compare:
    """An honest value that lies before everything, such as an infinity, denies lying behind it; a value that agrees
    with everything does not. A value that cannot answer the opposite question is honest if it denies lying before its
    like."""

    def is_disorderly(one: object, other: object) -> bool:
        if not compare(one, other) or says_no(OPPOSITE[compare], one, other):
            return False
        refuses_its_like = any(says_no(compare, each, like(each)) for each in (one, other))
        return answers(OPPOSITE[compare], one, other) or not refuses_its_like

    return is_disorderly


PROBED: dict[type[ast.cmpop], tuple[Compare, str]] = {
    ast.Eq: (operator.eq, "__eq__"),
    ast.Lt: (disorderly(operator.lt), "__lt__"),
    ast.LtE: (disorderly(operator.le), "__le__"),
    ast.Gt: (disorderly(operator.gt), "__gt__"),
    ast.GtE: (disorderly(operator.ge), "__ge__"),
    ast.Is: (operator.is_, "__eq__"),
}
MOST_EQUAL = 5
MOST_MEMBERS = 10_000
COLLECTIONS = (list, tuple, set, frozenset)
ORDER: dict[type[ast.cmpop], Compare] = {
    **{ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge},
}


def attempts(kind: type[ast.cmpop], left: Side, right: Side) -> Iterator[Attempt]:
    """Comparisons that an honest value passes none of."""
    if kind is ast.In:
        yield from containing(left, right)
    elif kind is ast.Eq:
        for one, other in pairs(left, right):
            yield from equal(one, other)
    elif kind in PROBED:
        compare, method = PROBED[kind]
        yield from either(compare, method, left, right)
        yield from on_both_sides(kind, left, right)


def either(compare: Compare, method: str, left: Side, right: Side) -> Iterator[Attempt]:
    if not left.may_agree(method):
        yield compare, left.value, fresh()
    if not right.may_agree(method):
        yield compare, fresh(), right.value


def on_both_sides(kind: type[ast.cmpop], left: Side, right: Side) -> Iterator[Attempt]:
    compare = ORDER.get(kind)
    if compare is None:
        return
    for asserted, one, other in ((compare, left, right), (MIRRORED[compare], right, left)):
        contrary, others = contradictions(asserted, other.value)
        if one.answers_by(PROBED[kind][1]) and others:
            yield says_yes_to_each(contrary), one.value, others


def says_yes_to_each(compare: Compare) -> Callable[[object, Sequence[object]], bool]:
    return lambda value, others: all([passes(compare, value, other) for other in others])


def equal(left: Side, right: Side) -> Iterator[Attempt]:
    """Plain questions come first: an unusual one tells the value that it is being tested."""
    for one, other in ((left, right), (right, left)):
        if one.answers_by("__eq__") and not other.is_marker():
            yield says_yes_to_all, one.value, unlike(other.value)
    yield from either(operator.eq, "__eq__", left, right)


def says_yes_to_all(value: object, others: Sequence[object]) -> bool:
    return bool(others) and all([passes(operator.eq, value, other) for other in others])


def containing(left: Side, right: Side) -> Iterator[Attempt]:
    if not agrees_within(right) and not right.may_agree("__contains__"):
        yield holds_a_stranger, right.value
        others = anywhere(left.value) if right.answers_by("__contains__") else []
        if others:
            yield holds_each, right.value, others
    for found in equal_members(left, right):
        for one, other in pairs(left, found):
            yield from equal(one, other)
    if not left.may_agree("__eq__"):
        yield is_among_strangers, left.value


def equal_members(left: Side, right: Side) -> list[Side]:
    """Finds in a plain collection the values that equal the other one."""
    held = [right.part(each) for each in members(right.value)]
    return [each for each in held if passes(operator.eq, left.value, each.value)][:MOST_EQUAL]


def members(value: object) -> Iterable[object]:
    """The values that a plain collection compares for `in`; none if it is another container."""
    return itertools.islice(value, MOST_MEMBERS) if is_collection(value) or type(value) is DICT else ()


def agrees_within(side: Side) -> bool:
    """Whether the test itself put something agreeable into a collection."""
    return any(side.part(each).may_agree("__eq__") for each in (side.value if is_collection(side.value) else ()))


def is_collection(value: object) -> TypeGuard[Collection[object]]:
    return is_one_of(type(value), COLLECTIONS)


def holds_a_stranger(container: Container[object]) -> bool:
    return fresh() in container


def holds_each(container: object, others: Sequence[object]) -> bool:
    return all([passes(operator.contains, container, each) for each in others])


def is_among_strangers(value: object) -> bool:
    return value in [fresh()]
