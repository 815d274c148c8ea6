"""Reads classes as they are. Plain Python asks the class of a class, which may be hostile: it answers to `==`, `in`,
`hash`, `vars` and names such as `__module__` with code of its own."""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__builtins__ = {**vars(builtins)}

HEAP_TYPE = 1 << 9
mro_of = vars(type)["__mro__"].__get__
table_of_class = vars(type)["__dict__"].__get__
module_of_class, name_of_class = vars(type)["__module__"].__get__, vars(type)["__name__"].__get__
qualified_name_of = vars(type)["__qualname__"].__get__
flags_of = vars(type)["__flags__"].__get__
derives = type.__subclasscheck__


def table_of(kind: type) -> Mapping[str, object]:
    return table_of_class(kind)


def module_of(kind: type) -> object:
    try:
        return module_of_class(kind)
    except AttributeError:
        return None


def name_of(kind: type) -> str:
    """An exact text, because the name may be of a class that is derived from it."""
    return str.__str__(name_of_class(kind))


def is_made_in_python(kind: type) -> bool:
    return bool(flags_of(kind) & HEAP_TYPE)


def is_one_of(kind: object, kinds: Iterable[object]) -> bool:
    """Compares by identity, because a class may define its own equality."""
    return any(kind is one for one in kinds)


def is_kind_of(kind: type, bases: Iterable[type]) -> bool:
    """Whether a class derives from one of the bases. An abstract base asks hooks and registers, and gets no say here."""
    for base in bases:
        if derives(base, kind):
            return True
    return False
