"""Makes other values of the same kind as a given one, and copies of it, without the code of its class."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import pathlib
import types

from check.counter.falsify.contents import attributes
from check.counter.falsify.decimals import own_context
from check.counter.falsify.strangers import fresh
from check.project.kinds import is_kind_of, mro_of, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    Number = int | float | complex | decimal.Decimal | fractions.Fraction

    class Joinable(Protocol):
        def __add__(self, other: Any, /) -> Any: ...
        def __len__(self) -> int: ...


def unlike(value: object) -> Sequence[object]:
    """Other values of the same kind, the empty one among them; nothing honest equals all of them."""
    others = next(others for kinds, others in UNLIKE if is_kind_of(type(value), kinds))
    try:
        with own_context():
            return others(value)
    except Exception:
        return []


def other_numbers(value: Number) -> Sequence[object]:
    return [value + 1, value - 1, value * 3 + 7, value * 0 if value else value + 5]


def longer(more: Joinable) -> Callable[[Joinable], Sequence[object]]:
    kind = type(more)

    def others(value: Joinable) -> Sequence[object]:
        return [kind.__add__(value, more), more, more + more, kind() if kind.__len__(value) else more + more + more]

    return others


def other_sets(value: set[object] | frozenset[object]) -> Sequence[object]:
    none: set[object] = set()
    return [{*value, "q7"}, {"q7"}, none if value else {"q7", "q8"}]


def other_dicts(value: dict[object, object]) -> Sequence[object]:
    return [{**value, "q7": 7}, {"q7": 7}, {} if value else {"q7": 7, "q8": 8}]


def other_times(value: datetime.date | datetime.timedelta) -> Sequence[object]:
    return [value + datetime.timedelta(days=days) for days in (1, -1, 3007)]


def other_members(value: enum.Enum) -> Sequence[object]:
    return [member for member in type(value) if member is not value][:3]


def altered(value: object) -> Sequence[object]:
    """A copy in which every attribute is exchanged; none if there are no attributes."""
    held = attributes(value)
    return [holding(type(value), {name: fresh() for name in held})] if held else []


def like(value: object) -> object:
    """Returns an equal copy, or the value itself when it cannot be copied."""
    held = attributes(value)
    try:
        return holding(type(value), held) if held else value
    except Exception:
        return value


def holding(kind: type, held: Mapping[str, object]) -> object:
    """Makes an object without the class's own code, which may do anything when it is asked for a copy, even run out of
    memory."""
    made = next(make for each in mro_of(kind) if (make := own_maker(each)))(kind)
    for name, value in held.items():
        object.__setattr__(made, name, value)
    return made


def own_maker(kind: type) -> Callable[[type], object] | None:
    """The `__new__` that a class of Python itself brings; a class of the project may hold any function by that name."""
    make = table_of(kind).get("__new__")
    return make if type(make) is types.BuiltinFunctionType and make.__self__ is kind else None


UNLIKE: tuple[tuple[tuple[type, ...], Callable[[Any], Sequence[object]]], ...] = (
    ((enum.Enum,), other_members),
    ((bool,), lambda value: [not value]),
    ((int,), lambda value: other_numbers(int.__add__(value, 0))),
    ((float,), lambda value: [float.__add__(value, 1.5), -float.__add__(value, 2.5), 0.0 if value else 5.5]),
    ((complex, decimal.Decimal, fractions.Fraction), other_numbers),
    ((str,), longer("q7")),
    ((bytes,), longer(b"q7")),
    ((list,), longer(["q7"])),
    ((tuple,), longer(("q7",))),
    ((set, frozenset), other_sets),
    ((dict,), other_dicts),
    ((datetime.date, datetime.timedelta), other_times),
    ((pathlib.PurePath,), lambda value: [value / "q7", type(value)("q7"), value.parent / "q7" / "q7"]),
    ((type(None),), lambda _: [0, "q7", (), False]),
    ((object,), altered),
)
