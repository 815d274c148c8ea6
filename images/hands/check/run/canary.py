"""Gives the canary the marks, names and fixtures of the tests beside it, so that it meets whatever the project asks of
every test."""

from __future__ import annotations

import re
import types

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeGuard

    Fixtures = Sequence[pytest.FixtureDef]


def settle(items: list[pytest.Item], canary: str) -> None:
    """Only the test files themselves decide here, so that nothing under test can spare the canary a fixture."""
    ours = [item for item in items if is_canary(item, canary)]
    others = [item for item in items if item not in ours]
    if others and all(getattr(item, "cls", None) for item in others):
        housed: dict[pytest.Item, pytest.Function]
        housed = {item: in_class(item) for item in ours if not hasattr(item, "callspec")}
        items[:] = [housed.get(item, item) for item in items]
        ours = [housed.get(item, item) for item in ours]
    for item in ours:
        take_marks(item, others)
        for other in modules_of(others):
            for name, value in vars(other.obj).items():
                vars(item.module).setdefault(name, value)
        take_fixtures(item, modules_of(others))


def is_canary(item: pytest.Item, canary: str) -> TypeGuard[pytest.Function]:
    """We wrote it ourselves, so it is a function."""
    return item.nodeid.partition("[")[0] == canary


def modules_of(items: Sequence[pytest.Item]) -> list[pytest.Module]:
    found = dict.fromkeys(item.getparent(pytest.Module) for item in items)
    return [module for module in found if module and isinstance(getattr(module, "obj", None), types.ModuleType)]


def in_class(item: pytest.Function) -> pytest.Function:
    """Puts the canary into a class, because fixtures may count on one if all other tests stand in classes. Its id stays
    the same."""
    holder = type(f"Test_{item.name}", (), {item.name: staticmethod(item.obj), "__module__": item.module.__name__})
    setattr(item.module, holder.__name__, holder)
    collector = pytest.Class.from_parent(item.parent, name=holder.__name__, nodeid=item.parent.nodeid)
    return pytest.Function.from_parent(collector, name=item.name)


def take_marks(item: pytest.Item, others: Sequence[pytest.Item]) -> None:
    """`-m unit` must not leave the canary out if all other tests have that mark."""
    wanted = set(re.findall(r"\w+", str(getattr(item.config.option, "markexpr", ""))))
    for mark in others[0].iter_markers() if others else ():
        shared = all(other.get_closest_marker(mark.name) for other in others)
        if mark.name in wanted and shared and not item.get_closest_marker(mark.name):
            item.add_marker(getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs))


def take_fixtures(item: pytest.Function, modules: Sequence[pytest.Module]) -> None:
    """Lets the canary find the fixtures that the other modules define. A fixture that none of them has is left out, and
    so are those that take it."""
    known = item._fixtureinfo.name2fixturedefs
    for name in {*item.fixturenames, *(name for module in modules for name in vars(module.obj))}:
        if not known.get(name) and not visible(item, name):
            known.update({name: found for module in modules if (found := visible(module, name))})
    item._request._arg2fixturedefs.update(known)  # an older pytest has made a copy
    without = {name for name in item.fixturenames if lacks(item, name, known, ())}
    item.fixturenames[:] = [name for name in item.fixturenames if name not in without]


def lacks(item: pytest.Item, name: str, known: Mapping[str, Fixtures], asked: tuple[str, ...]) -> bool:
    """Whether a fixture, or one that it takes, is nowhere to be found, or has parameters that only collecting sets."""
    if name == "request" or name in asked:
        return False
    own = visible(item, name)
    found = own or known.get(name)
    if not found or (not own and found[-1].params):
        return True
    return any(lacks(item, one, known, (*asked, name)) for one in found[-1].argnames)


def visible(node: pytest.Node, name: str) -> Fixtures | None:
    manager = node.session._fixturemanager
    try:
        return manager.getfixturedefs(name, node)
    except (AttributeError, TypeError):
        return manager.getfixturedefs(name, node.nodeid)  # a pytest before 8.1 takes the id
