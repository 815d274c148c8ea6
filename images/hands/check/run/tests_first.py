"""Some packages bring a folder `tests` along by mistake, and Python itself has a package `test`. An import of either
means the tree's own, if it has one."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder

from check.project import options
from check.project.library import CARELESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class TestsFirst:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        folders = [folder for folder in sys.path if options.is_in_tree(folder)] if name in WANTED else []
        found = PathFinder.find_spec(name, folders, target) if folders else None
        # a folder without __init__.py yields to Python's own package, as it does elsewhere
        return None if found is None or (name == "test" and found.loader is None) else found


WANTED = {"test", *(["tests"] if CARELESS else [])}


def install() -> None:
    sys.meta_path.insert(0, TestsFirst)
