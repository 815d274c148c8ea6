"""Puts other values in place of some that a literal is made of."""

from __future__ import annotations

import random

from check.counter.expected.replacements import letter
from check.project.kinds import is_one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PLAIN = (bool, int, float, str, bytes)
DEEPEST = 9
draw = random.SystemRandom()
# tell a type checker that such values may hold anything
DICT: type[dict[object, object]] = dict
COLLECTIONS = (list, tuple, set, frozenset)


def with_others(value: object, chosen: Callable[[object], bool], depth: int = 0) -> object:
    """The value itself if nothing in it was chosen."""
    if is_one_of(type(value), PLAIN):
        return another(value) if chosen(value) else value
    if depth > DEEPEST:
        return value
    if type(value) is DICT:
        held = {key: with_others(each, chosen, depth + 1) for key, each in value.items()}
        return held if any(held[key] is not each for key, each in value.items()) else value
    return in_collection(value, chosen, depth) if is_one_of(type(value), COLLECTIONS) else value


def in_collection(value: Any, chosen: Callable[[object], bool], depth: int) -> object:
    held: list[object] = list(value)
    others = [with_others(each, chosen, depth + 1) for each in held]
    is_same = all(one is other for one, other in zip(held, others, strict=True))
    return value if is_same else type(value)(others)


def another(value: Any) -> object:
    if type(value) is bool:
        return not value
    if type(value) is bytes:
        return value + b"q7"
    if type(value) is str:
        changed = "".join(map(letter, value))
        return changed if changed != value else f"{value}q7"
    return value + draw.randint(1_000, 9_999)
