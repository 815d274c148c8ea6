"""Reads what values hold, past the methods of their classes."""

from __future__ import annotations

import collections
import datetime
import decimal
import itertools
import types

from check.project.kinds import is_kind_of, is_made_in_python, is_one_of, mro_of, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# tell a type checker that such values may hold anything
DICT: type[dict[object, object]] = dict
LIST: type[list[object]] = list
TUPLE: type[tuple[object, ...]] = tuple
DEQUE: type[collections.deque[object]] = collections.deque
PLAIN = (
    *(str, bytes, int, float, complex, bool, type(None)),
    *(datetime.date, datetime.timedelta, decimal.Decimal),
)
MOST_ACROSS = 200
# for each class, the method with which it is read
SEQUENCES: tuple[tuple[type, Callable[[Any], Iterator[object]]], ...] = (
    (list, LIST.__iter__),
    (tuple, TUPLE.__iter__),
    (collections.deque, DEQUE.__iter__),
)


def within(one: object, other: object) -> list[tuple[object, object]]:
    """Pairs of what two values hold in the same places, read past the methods of their classes."""
    for kind, read in SEQUENCES:
        if are_both(kind, one, other):
            return list(zip(read(one), read(other), strict=False))
    if are_both(dict, one, other):
        return in_both(one, other)  # pyright: ignore[reportArgumentType]
    held, opposite = attributes(one), attributes(other)
    return [(held[name], opposite[name]) for name in held if name in opposite] if type(one) is type(other) else []


def in_both(one: dict[object, object], other: dict[object, object]) -> list[tuple[object, object]]:
    """A key of a class of its own may hash and compare as it likes, and another way whenever it is asked: what it holds
    is paired with all that no plain key holds."""
    held, odd = parted(one)
    opposite, odd_opposite = parted(other)
    pairs = [(held[name], opposite[name]) for name in held if name in opposite]
    same = {id(key): value for key, value in odd_opposite}
    pairs += [(value, same[id(key)]) for key, value in odd if id(key) in same]
    ids = {id(key) for key, _ in odd}
    left = [value for key, value in odd if id(key) not in same]
    left_opposite = [value for key, value in odd_opposite if id(key) not in ids]
    if left or left_opposite:
        left += [value for name, value in held.items() if name not in opposite]
        left_opposite += [value for name, value in opposite.items() if name not in held]
    return [*pairs, *itertools.islice(itertools.product(left, left_opposite), MOST_ACROSS)]


def parted(value: dict[object, object]) -> tuple[dict[object, object], list[tuple[object, object]]]:
    """Parts a dict into what plain keys hold, and the rest."""
    plain: dict[object, object] = {}
    odd: list[tuple[object, object]] = []
    for key, held in DICT.items(value):
        if is_plain(key):
            plain[key] = held
        else:
            odd.append((key, held))
    return plain, odd


def is_plain(key: object) -> bool:
    if type(key) is TUPLE:
        return all(is_plain(each) for each in key)
    return is_one_of(type(key), PLAIN)


def are_both(kind: type, one: object, other: object) -> bool:
    """Goes by the real classes, whatever the values claim these are."""
    return is_kind_of(type(one), (kind,)) and is_kind_of(type(other), (kind,))


def attributes(value: object) -> dict[str, object]:
    """Reads by name what a value holds in its dict and in the slots of its classes."""
    kind = type(value)
    if is_kind_of(kind, (type, types.ModuleType, types.FunctionType)):
        return {}
    return {**in_slots(value), **in_dict(value)}


def in_dict(value: object) -> dict[str, object]:
    try:
        held: object = object.__getattribute__(value, "__dict__")
    except BaseException:
        return {}
    # a name that is no exact text would hash and compare as it likes
    return {name: each for name, each in held.items() if type(name) is str} if type(held) is DICT else {}


def in_slots(value: object) -> dict[str, object]:
    held: dict[str, object] = {}
    for kind in mro_of(type(value)):
        for name, slot in table_of(kind).items() if is_made_in_python(kind) else ():
            if type(slot) is types.MemberDescriptorType and type(name) is str:
                try:
                    held.setdefault(name, slot.__get__(value))
                except AttributeError:
                    continue  # nothing was put there
    return held
