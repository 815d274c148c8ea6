"""Reads what values hold, past the methods of their classes."""

from __future__ import annotations

import collections
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# tell a type checker that such values may hold anything
DICT: type[dict[str, object]] = dict
LIST: type[list[object]] = list
TUPLE: type[tuple[object, ...]] = tuple
DEQUE: type[collections.deque[object]] = collections.deque
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


def in_both(one: dict[str, object], other: dict[str, object]) -> list[tuple[object, object]]:
    return [(DICT.get(one, key), DICT.get(other, key)) for key in DICT.__iter__(one) if DICT.__contains__(other, key)]


def are_both(kind: type, one: object, other: object) -> bool:
    """Goes by the real classes, whatever the values claim these are."""
    return issubclass(type(one), kind) and issubclass(type(other), kind)


def attributes(value: object) -> dict[str, object]:
    if issubclass(type(value), (type, types.ModuleType, types.FunctionType)):
        return {}
    try:
        held: object = object.__getattribute__(value, "__dict__")
    except Exception:
        return {}
    return held if type(held) is DICT else {}
