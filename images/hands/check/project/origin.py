"""Tells who made a value by the code that runs when it is used, without asking the value itself."""

from __future__ import annotations

import builtins
import functools
import sys
import types
import unittest.mock

from check.project import options
from check.project.kinds import is_made_in_python, is_one_of, module_of, mro_of, qualified_name_of, table_of
from check.project.library import IMAGE, top_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import TypeGuard

__builtins__ = {**vars(builtins)}

TREE = options.WORKSPACE + "/"
DEEPEST = 6
MOST = 400
MOCKS = (unittest.mock.NonCallableMock, unittest.mock.MagicProxy)
FUNCTION, METHOD, MODULE = types.FunctionType, types.MethodType, types.ModuleType
# tell a type checker that such values may hold anything
PARTIAL: type[functools.partial[object]] = functools.partial
CACHED: type[functools._lru_cache_wrapper[object]] = functools._lru_cache_wrapper  # pyright: ignore[reportPrivateUsage]
STATIC: type[staticmethod[..., object]] = staticmethod
OF_CLASS: type[classmethod[object, ..., object]] = classmethod
BUILT_IN, WRAPPED = types.BuiltinFunctionType, (STATIC, OF_CLASS)
CONTAINERS = (tuple, list, set, frozenset)
modules = sys.modules


def project_file(value: object) -> str | None:
    """The file of the project that has a part in a value, tests and conftests aside; None where none has."""
    return next((path for path in files_of(value) if not is_of_tests(path)), None)


def is_made_by_tests(value: object) -> bool:
    return any(is_of_tests(path) for path in files_of(value))


def is_mock(value: object) -> bool:
    held = vars(value).get("mock") if type(value) is FUNCTION else value
    return any(is_one_of(kind, MOCKS) for kind in mro_of(type(held)))


def is_installed(value: object) -> bool:
    """Whether a value is of a package in the image that is neither Python's nor pytest's; its own claim is not
    enough."""
    held = function_of(value)
    held = held.func if type(held) is PARTIAL else held
    if type(held) is FUNCTION:
        name = held.__globals__.get("__name__")
        return is_package(name) and vars(modules[name]) is held.__globals__
    kind = held if is_class(held) else type(held)
    name = module_of(kind)
    if not is_package(name):
        return False
    at_home = vars(modules[name]).get(qualified_name_of(kind)) is kind
    return at_home or any(type(part) is FUNCTION and is_installed(part) for part in table_of(kind).values())


def function_of(value: object) -> object:
    return getattr(value, "__func__", None) if is_one_of(type(value), (METHOD, *WRAPPED)) else value


def is_package(name: object) -> TypeGuard[str]:
    if type(name) is not str or top_of(name) not in IMAGE or top_of(name) in ("pytest", "_pytest"):
        return False
    return type(modules.get(name)) is MODULE


def files_of(value: object) -> list[str]:
    """Paths in the tree of the code that a value is made of. Parts of what the tests made are not followed: it is
    theirs."""
    found: dict[str, None] = {}
    done: set[int] = set()
    todo = [(value, 0)]
    while todo and len(done) < MOST:
        one, depth = todo.pop()
        if id(one) in done or depth > DEEPEST:
            continue
        done.add(id(one))
        own = [path[len(TREE) :] for path in own_files(one) if path.startswith(TREE)]
        found.update(dict.fromkeys(own))
        if not any(is_of_tests(path) for path in own):
            todo += [(part, depth + 1) for part in parts_of(one)]
    return list(found)


def own_files(value: object) -> Iterator[str]:
    if type(value) is FUNCTION:
        yield value.__code__.co_filename
        name = value.__globals__.get("__file__")
        if value.__code__.co_filename.startswith("<") and type(name) is str:
            yield name
    elif is_class(value):
        module = module_of(value)
        home = modules.get(module) if type(module) is str else None
        name = vars(home).get("__file__") if type(home) is MODULE else None
        if type(name) is str:
            yield name


def parts_of(value: object) -> Iterator[object]:
    if type(value) is FUNCTION:
        yield from [vars(value)["__wrapped__"]] if "__wrapped__" in vars(value) else []
        yield from [cell.cell_contents for cell in value.__closure__ or () if is_filled(cell)]
    elif type(value) is STATIC or type(value) is OF_CLASS:
        yield value.__func__
    elif type(value) is METHOD:
        yield from (value.__func__, value.__self__)
    elif type(value) is PARTIAL:
        yield from (value.func, *value.args, *value.keywords.values())
    elif type(value) is property:
        yield from (value.fget, value.fset, value.fdel)
    elif type(value) is CACHED:
        yield value.__wrapped__
    elif type(value) is BUILT_IN:
        yield from [] if type(value.__self__) is MODULE else [value.__self__]
    elif is_container(value):
        yield from [*value][:MOST]
    elif is_class(value):
        made: list[type] = [each for each in mro_of(value) if is_made_in_python(each)]
        held: list[object] = [part for each in made for part in table_of(each).values()]
        yield from (part for part in held if is_one_of(type(part), METHODS))
    elif type(value) is not MODULE:
        yield type(value)


METHODS = (FUNCTION, property, *WRAPPED)


def is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def is_container(value: object) -> TypeGuard[Collection[object]]:
    return is_one_of(type(value), CONTAINERS)


def is_class(value: object) -> TypeGuard[type]:
    return any(kind is type for kind in mro_of(type(value)))


def is_of_tests(path: str) -> bool:
    return path.startswith("tests/") or path == "conftest.py" or path.endswith("/conftest.py")
