"""Remembers the parts of the library and of pytest that tests compare and measure with, before anything of a project
runs."""

from __future__ import annotations

import builtins
import importlib
import sys
import types
from operator import attrgetter, is_, itemgetter

import pytest

from check.project.kinds import is_kind_of, is_made_in_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    Values = tuple[object, ...]

# the functions below keep these builtins, whatever a project does to the real ones
__builtins__ = {**vars(builtins)}

# the modules differ between versions of pytest
ASKED = """
    approx raises warns deprecated_call fail skip xfail importorskip RaisesGroup RaisesExc
""".split()
HOMES = {getattr(pytest, name).__module__ for name in ASKED if hasattr(pytest, name)}
MODULES = """
    builtins math cmath operator time datetime json json.encoder json.decoder re random statistics decimal fractions
    unittest unittest.case unittest.mock pytest _pytest.python_api _pytest.raises _pytest.recwarn _pytest.outcomes
    _pytest.runner _pytest.reports difflib collections collections.abc functools itertools string os posixpath inspect
    types copy io pathlib contextlib subprocess hashlib base64 csv numbers enum dataclasses textwrap heapq bisect
""".split()
CLASSES_OF = """
    json.encoder json.decoder re random statistics fractions unittest.case unittest.mock _pytest.python_api
    _pytest.raises _pytest.recwarn _pytest.outcomes _pytest.runner _pytest.reports difflib collections functools string
    pathlib contextlib subprocess csv
""".split()
OF_SYS = ("exit", "modules", "_getframe", "exc_info", "getrecursionlimit", "settrace", "setprofile")
INSTANCES = ("_default_encoder", "_default_decoder")
STATE = {"maxDiff", "longMessage", "environ", "environb", "__doc__", "tzname", "timezone", "altzone", "daylight"}
FUNCTION = types.FunctionType
CODE = (
    *(FUNCTION, types.BuiltinFunctionType, type, staticmethod, classmethod, property),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType),
)
WRAPPED: tuple[type, ...] = (staticmethod, classmethod)
MISSING = object()
every: Callable[[Iterable[object]], bool] = all
each: type[map[object]] = map
PIECES: list[Callable[[object], object]] = [attrgetter(name) for name in ("__code__", "__defaults__", "__kwdefaults__")]


class Part:
    """The names of a module or class, whose values are the same objects as long as nobody replaces one."""

    def __init__(
        self,
        label: str,
        table: Mapping[str, object],
        names: Collection[str],
        values: Values | None = None,
        bases: tuple[type, ...] = (),
    ) -> None:
        self.label = label
        self.table = table
        self.names = tuple(names)
        self.index = frozenset(self.names)
        self.values = values or tuple(table[name] for name in self.names)
        self.read: Callable[[Mapping[str, object]], Values] = (
            itemgetter(*names) if len(names) > 1 else lambda table: (table[self.names[0]],)
        )
        self.bases = bases
        self.size = len(table) if bases else 0

    def holds(self) -> bool:
        try:
            same = every(each(is_, self.read(self.table), self.values))
        except KeyError:
            return False
        return same and (not self.bases or len(self.table) == self.size)

    def replaced(self) -> Iterator[tuple[str, object]]:
        """Each name with what stands there now; a class's new name may hide what it inherits."""
        for name, value in zip(self.names, self.values, strict=True):
            found = self.table.get(name, MISSING)
            if found is not value:
                yield f"{self.label}.{name}", found
        for name in [*self.table] if self.bases and len(self.table) != self.size else ():
            if name not in self.names and any(name in vars(base) for base in self.bases) and is_code(self.table[name]):
                yield f"{self.label}.{name}", self.table[name]

    def of(self, words: AbstractSet[str]) -> Part | None:
        """The same part with only the names in `words`; None if it has none of them."""
        names = self.index & words
        if not names:
            return None
        known = [(name, value) for name, value in zip(self.names, self.values, strict=True) if name in names]
        return Part(self.label, self.table, *zip(*known, strict=True))


def is_code(value: object) -> bool:
    return is_kind_of(type(value), CODE)


class Functions:
    """Functions written in Python, whose code can be changed without replacing them."""

    def __init__(self, parts: Iterable[Part]) -> None:
        unique: dict[int, tuple[str, types.FunctionType]] = {}
        for part in parts:
            for name, value in zip(part.names, part.values, strict=True):
                function: object = getattr(value, "__func__") if isinstance(value, WRAPPED) else value
                if type(function) is FUNCTION:
                    unique.setdefault(id(function), (f"{part.label}.{name}", function))
        self.labels = [label for label, _ in unique.values()]
        self.functions = [function for _, function in unique.values()]
        self.pieces = [(read, [*each(read, self.functions)]) for read in PIECES]
        defaults = [function.__kwdefaults__ for function in self.functions]
        self.keywords = [(at, {**given}) for at, given in enumerate(defaults) if given]

    def hold(self) -> bool:
        same = every(every(each(is_, each(read, self.functions), before)) for read, before in self.pieces)
        return same and not [*self.changed_keywords()]

    def changed(self) -> Iterator[tuple[str, types.FunctionType]]:
        found = {
            at
            for read, before in self.pieces
            for at, (function, piece) in enumerate(zip(self.functions, before, strict=True))
            if read(function) is not piece
        }
        for at in sorted({*found, *self.changed_keywords()}):
            yield self.labels[at], self.functions[at]

    def changed_keywords(self) -> Iterator[int]:
        for at, before in self.keywords:
            now = self.functions[at].__kwdefaults__ or {}
            if len(now) != len(before) or any(now.get(name, MISSING) is not value for name, value in before.items()):
                yield at


def guarded_parts() -> list[Part]:
    modules = {name: module for name in dict.fromkeys([*MODULES, *sorted(HOMES)]) if (module := load(name))}
    parts = [part_of(name, vars(module)) for name, module in modules.items()]
    parts.append(Part("sys", vars(sys), [name for name in OF_SYS if name in vars(sys)]))
    for name in dict.fromkeys([*CLASSES_OF, *sorted(HOMES)]):
        parts += [class_part(found) for found in classes_of(modules.get(name), name)]
    parts += [Instance(f"json.{name}", getattr(modules["json"], name)) for name in INSTANCES]
    return parts


def load(name: str) -> types.ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None  # another pytest than the image's own may lack it


def part_of(label: str, table: Mapping[str, object], bases: tuple[type, ...] = ()) -> Part:
    return Part(label, table, [name for name, value in table.items() if is_guarded(name, value)], bases=bases)


def is_guarded(name: str, value: object) -> bool:
    """A name with an underscore may hold state, unless its value is code."""
    if name in STATE or value is None or type(value) is bool:
        return False
    return not name.startswith("_") or is_code(value)


def classes_of(module: types.ModuleType | None, name: str) -> list[type]:
    found = vars(module).values() if module else ()
    own = [value for value in found if isinstance(value, type) and value.__module__ == name]
    return [value for value in dict.fromkeys(own) if is_made_in_python(value) and any_guarded(value)]


def any_guarded(kind: type) -> bool:
    return any(is_guarded(name, value) for name, value in vars(kind).items())


def class_part(kind: type) -> Part:
    return part_of(f"{kind.__module__}.{kind.__qualname__}", vars(kind), kind.__mro__[1:])


class Instance(Part):
    """An object of a library module: an attribute of its own would hide a method of its class."""

    def __init__(self, label: str, held: object) -> None:
        self.kind = type(held)
        super().__init__(label, vars(held), list(vars(held)), bases=self.kind.__mro__)
