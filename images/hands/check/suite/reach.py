"""Finds the test files that a change reaches by import. Runs nothing of a tree. Imports decide only which tests run
first, so lines are matched as they are and not parsed."""

from __future__ import annotations

import re

from check.tree.imports import folder_up
from check.tree.trees import Repository, Tree, folder_of, join, parents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from check.wire.shapes import Paths, TouchedInput, TouchedPayload

IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\(?[^#\n]*)|import[ \t]+([^#\n]+))", re.MULTILINE)
MOST_READ = 4_000


def touched(payload: TouchedPayload, given: TouchedInput) -> Paths:
    """Picks those of `files`, in their order, that import a changed file, are one, or stand beside one."""
    tree = Repository(payload["repo"]).tree(payload["tree"])
    changed = set(given["changed"])
    folders = {folder_of(path) for path in changed if not path.endswith(".py")}
    graph = Graph(tree)
    return {"paths": [path for path in given["files"] if folder_of(path) in folders or graph.reaches(path, changed)]}


class Graph:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.known: dict[str, list[str]] = {}
        # path by dotted name
        self.modules: dict[str, str] = {}
        for path in tree.entries:
            if path.endswith(".py"):
                for name in names_of(path, tree):
                    self.modules.setdefault(name, path)

    def reaches(self, start: str, changed: Collection[str]) -> bool:
        todo = [start, *conftests(start)]
        done: set[str] = set()
        while todo:
            path = todo.pop()
            if path in changed:
                return True
            if path not in done:
                done.add(path)
                todo += self.imported_by(path)
        return False

    def imported_by(self, path: str) -> list[str]:
        if path not in self.known:
            text = self.tree.text(path) if path in self.tree and len(self.known) < MOST_READ else None
            self.known[path] = list(self.found(path, text or ""))
        return self.known[path]

    def found(self, path: str, text: str) -> Iterator[str]:
        for start, names, whole in IMPORT.findall(text):
            for name in whole.split(","):
                yield from self.located(name.split(" as ")[0].strip())
            if start:
                level = len(start) - len(start.lstrip("."))
                base = self.relative(path, start, level) if level else start
                yield from self.located(base)
                for name in names.strip("( )").split(","):
                    yield from self.located(f"{base}.{name.split(' as ')[0].strip(' ()')}")

    def relative(self, path: str, start: str, level: int) -> str:
        folder = folder_up(path, level)
        return ".".join(part for part in [*folder.split("/"), *start[level:].split(".")] if part)

    def located(self, name: str) -> Iterator[str]:
        """The module and the packages around it, whose code runs as well."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            found = self.modules.get(".".join(parts[:end]))
            if found:
                yield found


def names_of(path: str, tree: Tree) -> Iterator[str]:
    """The dotted names it may be imported by: from the tree's root, and from the folder that its package stands in."""
    stem = path.removesuffix(".py").removesuffix("/__init__")
    root = folder_of(stem)
    while root and f"{root}/__init__.py" in tree:
        root = folder_of(root)
    for start in dict.fromkeys(["", root, "src"]):
        if not start or stem.startswith(f"{start}/"):
            yield stem[len(start) + 1 if start else 0 :].replace("/", ".")


def conftests(path: str) -> list[str]:
    return [join(folder, "conftest.py") for folder in [*parents(path), ""]]
