"""Finds what a staged file loads below tests/, as its imports would find it, and which of those functions assert."""

from __future__ import annotations

import ast
import posixpath
from typing import NamedTuple

from check.tree import tables
from check.tree.imports import called, imported, located, parse, places, plugins
from check.tree.trees import folder_of, parents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from check.staged.syntax import Decorated
    from check.tree.trees import Tree
    from check.wire.shapes import AssertionSite

SETTINGS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
BODIES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Body(NamedTuple):
    """A function or class of test code: whether an assertion stands in it, and what it calls or takes as a fixture."""

    name: str
    asserts: bool
    uses: set[str]


def helpers_of(tree: Tree, path: str, source: str) -> list[tuple[str, str]]:
    """Path and source of every module and conftest of the tree below tests/ that a staged file loads."""
    roots = import_roots(tree, path)
    found: dict[str, str | None] = {}
    todo: list[tuple[str, str | None]] = [(path, source)]
    for folder in parents(path):
        if f"{folder}/conftest.py" in tree:
            todo.append((f"{folder}/conftest.py", None))
    while todo:
        at, text = todo.pop()
        if at in found or (at != path and not at.startswith("tests/")):
            continue
        found[at] = text = tree.text(at) if text is None else text
        names = {*imported(text, at), *((None, tuple(name.split("."))) for name in plugins(text or ""))}
        for folder, name in names:
            todo += [(place, None) for place in loaded(tree, roots, folder, name) if tree.is_file(place)]
    return [(at, text) for at, text in sorted(found.items()) if at != path and text is not None and at.endswith(".py")]


def import_roots(tree: Tree, path: str) -> list[str]:
    root = folder_of(path)
    while root and f"{root}/__init__.py" in tree:
        root = folder_of(root)
    roots = [root, "", "src"]
    for name in SETTINGS:
        words = tables.words(tables.settings_of_pytest(name, tree.text(name)).get("pythonpath", []))
        roots += [posixpath.normpath(word) for word in words]
    return list(dict.fromkeys("" if root == "." else root for root in roots))


def loaded(tree: Tree, roots: Sequence[str], folder: str | None, name: tuple[str, ...]) -> list[str]:
    if folder is not None:
        return places(folder, name)
    base = located(tree, roots, name[0]) if name else None
    return places(base, name[1:]) if base else []


def bodies_of(source: str, sites: Iterable[AssertionSite]) -> list[Body]:
    """The functions and classes of a source; `sites` are the assertions in it."""
    lines = [int(site["id"].rsplit(":", 2)[1]) for site in sites]
    module = parse(source)
    nodes = [node for node in ast.walk(module) if isinstance(node, BODIES)] if module else []
    return [Body(node.name, asserts_within(node, lines), uses(node)) for node in nodes]


def asserts_within(node: Decorated, lines: Iterable[int]) -> bool:
    return any(node.lineno <= line <= (node.end_lineno or 0) for line in lines)


def uses(node: ast.AST) -> set[str]:
    found = {called(inner) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    return found | {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}


def asserting(bodies: Collection[Body]) -> set[str]:
    """Names of functions and classes that assert, by themselves or through another."""
    names = {body.name for body in bodies if body.asserts}
    while more := {body.name for body in bodies if body.name not in names and body.uses & names}:
        names |= more
    return names
