"""Tells which files of a tree belong to its tests, and which stand beside the project."""

from __future__ import annotations

import re

from check.tree.imports import located, plugins
from check.tree.trees import base_name, folder_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from check.tree.trees import Tree

TEST_FILE = re.compile(r"^(test_.*|.*_test)\.py$")
TEST_FOLDERS = {"tests", "test", "testing"}
# By convention people start these by hand; neither the package nor its tests import them.
ASIDE_FILES = {"setup.py", "noxfile.py", "fabfile.py", "dodo.py"}
ASIDE_FOLDERS = {
    *["benchmark", "benchmarks", "benchmarking", "bench", "asv_bench", "perf", "doc", "docs", "example", "examples"],
}
CODE_ROOTS = ("", "src")


def is_test(path: str) -> bool:
    return TEST_FILE.match(base_name(path)) is not None


def is_test_module(path: str) -> bool:
    """A file of tests that pytest or unittest runs by itself: `tests.py` is what some projects call theirs."""
    return is_test(path) or base_name(path) == "tests.py"


def is_of_tests(path: str) -> bool:
    in_folder = not TEST_FOLDERS.isdisjoint(path.split("/")[:-1])
    return in_folder or is_test_module(path) or base_name(path) == "conftest.py"


def is_aside(path: str) -> bool:
    return not is_of_tests(path) and (path in ASIDE_FILES or top_folder(path) in ASIDE_FOLDERS)


def top_folder(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def named_as_plugins(tree: Tree, asked: Iterable[str]) -> set[str]:
    """A module that a conftest or a setting asks pytest to load is a conftest under another name, and is held as one."""
    conftests = [path for path in tree.entries if base_name(path) == "conftest.py"]
    roots = list(dict.fromkeys((*CODE_ROOTS, *map(folder_of, conftests))))
    names = {*asked, *(name for path in conftests for name in plugins(tree.text(path) or ""))}
    return {path for name in names for path in files_of(tree, roots, name)}


def files_of(tree: Tree, roots: Iterable[str], name: str) -> list[str]:
    top, *rest = name.split(".")
    base = located(tree, roots, top) if top else None
    whole = "/".join([base, *rest]) if base else ""
    return [path for path in (f"{whole}.py", f"{whole}/__init__.py") if path in tree]
