"""Reads from pytest's settings where modules are looked for, and which plugins are asked for by name."""

from __future__ import annotations

import posixpath
import re

from check.tree import tables
from check.tree.trees import base_name, folder_of, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from check.tree.tables import Table
    from check.tree.trees import Tree

    # the path of a file, and the keys that pytest reads from it
    Settings = list[tuple[str, Table]]

SOURCES = {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"}


def settings_of(trees: Sequence[Tree], paths: Iterable[str]) -> Settings:
    """Those of each file in each of the trees."""
    return [
        (path, tables.settings_of_pytest(base_name(path), tree.text(path) if path in tree else None))
        for path in paths
        if base_name(path) in SOURCES
        for tree in trees
    ]


def import_roots(trees: Sequence[Tree], tests: Iterable[str], settings: Settings) -> list[str]:
    """Folders that top-level names are looked for in, in their order: those of tests and conftests come first."""
    folders = list(tests)
    roots = {root_of(tree, folder) for tree in trees for folder in folders}
    ordered = [*sorted(roots, key=lambda root: (-len(root), root)), "", "src"]
    for path, found in settings:
        entries = tables.words(found.get("pythonpath", []))
        ordered += [posixpath.normpath(join(folder_of(path), entry)) for entry in entries]
    return list(dict.fromkeys("" if root == "." else root for root in ordered))


def root_of(tree: Tree, folder: str) -> str:
    """The first folder upwards that is no package."""
    while folder and f"{folder}/__init__.py" in tree:
        folder = folder_of(folder)
    return folder


def plugins_in(settings: Settings) -> set[str]:
    return {name for _, found in settings for name in plugins_of(tables.words(found.get("addopts", [])))}


def plugins_of(words: Sequence[str]) -> set[str]:
    following = [word for option, word in zip(words, words[1:], strict=False) if option == "-p"]
    attached = [word[2:] for word in words if re.match(r"-p[^-]", word)]
    return {name for name in (*following, *attached) if not name.startswith("no:")}
