"""Tells which modules are the library's or installed, and not the project's, without importing any of them."""

from __future__ import annotations

import os
import pkgutil
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def installed() -> Iterator[str]:
    """Modules, packages, and folders that several packages share."""
    folders = [path for path in sys.path if path.endswith("site-packages") and os.path.isdir(path)]
    yield from (module.name for module in pkgutil.iter_modules(folders))
    for folder in folders:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.isidentifier() and entry.is_dir()]
        yield from (name for name in names if name != "__pycache__")


EVERYTHING = frozenset(installed())
CARELESS = "tests" in EVERYTHING
IMAGE = EVERYTHING - {"tests"}
LIBRARY = frozenset({*sys.stdlib_module_names, *IMAGE, "pytest", "_pytest"})
MISSING = object()


def top_of(name: str) -> str:
    return name.partition(".")[0]


def is_library(name: str) -> bool:
    return top_of(name) in LIBRARY


def is_known_to_lack(name: str) -> bool:
    """Whether a library module that is loaded here has no such attribute: one that is added replaces nothing."""
    parts = name.split(".")
    found: object = sys.modules.get(parts[0], MISSING)
    for part in parts[1:]:
        if not isinstance(found, (types.ModuleType, type)):
            return False
        found = next((vars(one)[part] for one in lineage(found) if part in vars(one)), MISSING)
        if found is MISSING:
            return part != "*"
    return False


def lineage(found: types.ModuleType | type) -> Sequence[types.ModuleType | type]:
    return found.__mro__ if isinstance(found, type) else [found]
