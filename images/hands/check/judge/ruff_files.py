"""The files that ruff takes its configuration from."""

from __future__ import annotations

import posixpath

from check.tree import tables
from check.tree.trees import base_name, folder_of, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from check.tree.trees import Tree

RUFF_SOURCES = {"ruff.toml", ".ruff.toml", "pyproject.toml"}


def ruff_bases(tree: Tree) -> set[str]:
    """Files that ruff configurations extend, directly or through another, whether they exist or not."""
    todo = [path for path in tree.entries if base_name(path) in RUFF_SOURCES]
    found: set[str] = set()
    while todo:
        path = todo.pop()
        extended = tables.ruff_extends(base_name(path), tree.text(path) if path in tree else None)
        if extended:
            there = posixpath.normpath(join(folder_of(path), extended))
            todo += [there] if there not in found else []
            found.add(there)
    return found
