"""Keeps pytest from looking for fixtures in those of its own plugins that have none. It would ask for every name of each of
them in each run, which takes longer than a short test file does."""

from __future__ import annotations

import sys
from operator import is_

from _pytest import fixtures
from _pytest.config import default_plugins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def pass_over() -> None:
    """Changes nothing for a plugin whose names have changed meanwhile, nor for a pytest that tells fixtures in another
    way."""
    kind = getattr(fixtures, "FixtureFunctionDefinition", None)
    loaded = [sys.modules.get(f"_pytest.{name}") for name in default_plugins]
    if kind is None:
        return
    without = {module: {**vars(module)} for module in loaded if module is not None and not has(module, kind)}
    parse = fixtures.FixtureManager.parsefactories

    def parsefactories(self: fixtures.FixtureManager, *args: Any, **named: Any) -> None:
        holder = named["holder"] if "holder" in named else args[0]
        if type(holder) is not type(sys) or not is_unchanged(holder, without):
            parse(self, *args, **named)

    fixtures.FixtureManager.parsefactories = parsefactories


def has(module: ModuleType, kind: type) -> bool:
    return any(type(value) is kind for value in vars(module).values())


def is_unchanged(module: ModuleType, known: dict[ModuleType, dict[str, object]]) -> bool:
    before, now = known.get(module), vars(module)
    return before is not None and len(before) == len(now) and all(map(is_, before.values(), map(now.get, before)))
