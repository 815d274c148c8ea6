"""Tells whether a class of the project accepts any object at all as its instance."""

from __future__ import annotations

import random
import types

from check.counter.falsify.answers import passes
from check.counter.falsify.strangers import fresh
from check.project import options, origin
from check.project.kinds import module_of

draw = random.SystemRandom()
DEEPEST = 5
# tells a type checker that such a value may hold anything
TUPLE: type[tuple[object, ...]] = tuple


def of_project(kinds: object, depth: int = 0) -> list[object]:
    """The classes of the project among the second argument of isinstance or issubclass."""
    within: tuple[object, ...] | None
    if type(kinds) is TUPLE:
        within = kinds
    elif type(kinds) is types.UnionType:  # pyright: ignore[reportUnnecessaryComparison]
        within = kinds.__args__
    else:
        within = None
    if within is None:
        return [kinds] if is_of_project(kinds) else []
    return [found for each in within if depth < DEEPEST for found in of_project(each, depth + 1)]


def is_of_project(kind: object) -> bool:
    parts = (kind, type(kind)) if origin.is_class(kind) else (type(kind),)
    files = [path for each in parts for path in origin.own_files(each)]
    return any(options.is_in_tree(path) and not path.startswith(options.TESTS) for path in files)


def takes(value: object, kind: object) -> bool:
    """A class may have been asked about with issubclass, or with isinstance like any object."""
    asked = issubclass if origin.is_class(value) else isinstance
    return passes(asked, value, kind) or passes(isinstance, value, kind)


def takes_strangers(kind: object) -> bool:
    """Whether a class accepts objects that it has never met; nothing else tells them from objects of the project."""
    return all([takes_it(each, kind) for each in strangers(kind)])


def takes_it(stranger: object, kind: object) -> bool:
    return passes(isinstance, stranger, kind) or passes(issubclass, type(stranger), kind)


def strangers(kind: object) -> list[object]:
    """Some claim the class's own module, some one of Python's, because a class may judge another by its module."""
    name = module_of(kind if origin.is_class(kind) else type(kind))
    homes = [name if type(name) is str else "builtins", "builtins"]
    homes += draw.choices([*homes, "collections"], k=draw.randint(0, 2))
    found = [fresh() for _ in homes]
    for each, home in zip(found, draw.sample(homes, len(homes)), strict=True):
        type(each).__module__ = home
    return found
