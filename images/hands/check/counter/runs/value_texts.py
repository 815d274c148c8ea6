"""Turns plain values into texts that can be compared between runs."""

from __future__ import annotations

import hashlib

from check.project.kinds import is_one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeGuard

LONGEST = 2_000
DEEPEST = 9
PLAIN = (int, float, str, bytes)
HOLDING_OTHERS = (list, tuple, dict)
# tells a type checker that such a value may hold anything
DICT: type[dict[object, object]] = dict


def text_of(value: object, depth: int = 0) -> str | None:
    """The value as text; None if it is not plain, or is of a kind that too many share, such as a bool."""
    if is_one_of(type(value), PLAIN):
        return repr(value)[:LONGEST]
    if not holds_others(value) or depth > DEEPEST:
        return None
    inner = [*value.items()] if type(value) is DICT else value
    found = [text_of(each, depth + 1) for each in inner]
    return None if None in found else f"{type(value).__name__}{found}"


def holds_others(value: object) -> TypeGuard[Iterable[object]]:
    return is_one_of(type(value), HOLDING_OTHERS)


def mark_of(value: object) -> str:
    """A short text that differs from value to value; "" where nothing can be told."""
    text = repr(value) if type(value) is bool else text_of(value)
    return "" if text is None else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
