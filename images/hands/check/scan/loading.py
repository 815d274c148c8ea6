"""Tells which of some files the rest of a tree loads, from its imports and, if wanted, from paths in its texts."""

from __future__ import annotations

import ast
import re

from check.tree.imports import imported, literal, located, parse
from check.tree.places import CODE_ROOTS, is_aside, is_of_tests, top_folder
from check.tree.trees import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from check.tree.trees import Tree


class Loading:
    def __init__(self, tree: Tree, candidates: set[str], by_text: bool = False) -> None:
        self.tree = tree
        self.candidates = candidates
        self.by_text = by_text
        self.by_last: dict[str, set[str]] = {}
        for path in candidates:
            self.by_last.setdefault(module_of(path)[-1], set()).add(path)

    def loaded(self, counts: Callable[[str], bool]) -> set[str]:
        """`counts` tells whose imports matter. A candidate that is loaded counts too."""
        return self.loaded_from([path for path in self.mentioning() if counts(path)])

    def loaded_from(self, paths: Iterable[str]) -> set[str]:
        todo = list(paths)
        found: set[str] = set()
        while todo and self.candidates:
            path = todo.pop()
            new = self.loads(path) - found - {path}
            found |= new
            todo += new
        return found

    def mentioning(self) -> list[str]:
        folders: set[str] = {top_folder(path) for path in self.candidates} if self.by_text else set()
        return self.tree.mentioning(sorted({*self.by_last, *folders} - {""}))

    def loads(self, path: str) -> set[str]:
        source = self.tree.text(path)
        found = {one for folder, name in imported(source, path) for one in self.meant(folder, name)}
        return found | self.in_texts(source) if self.by_text else found

    def meant(self, folder: str | None, name: tuple[str, ...]) -> set[str]:
        if folder is None:
            return {one for place in range(len(name)) for one in self.by_name(name[: place + 1])}
        start = [part for part in folder.split("/") if part]
        ends = [[*start, *name[:place]] for place in range(len(name) + 1)]
        return {one for end in ends if end for one in self.by_last.get(end[-1], ()) if module_of(one) == end}

    def by_name(self, name: tuple[str, ...]) -> set[str]:
        """Candidates that a name could mean on any search path; but `app.utils` is not tests/app/utils.py beside a
        package `app`."""
        found = {one for one in self.by_last.get(name[-1], ()) if module_of(one)[-len(name) :] == list(name)}
        base = located(self.tree, CODE_ROOTS, name[0]) if found and len(name) > 1 else None
        if base is None or f"{base}/__init__.py" not in self.tree:
            return found
        return {one for one in found if module_of(one) == [*base.split("/"), *name[1:]]}

    def in_texts(self, source: str | None) -> set[str]:
        """Candidates named in texts: programs are started by their paths, and found by the paths of their folders."""
        module = parse(source)
        texts = list(written(module)) if module else []
        pieces = {piece for text in texts for piece in re.split(r"[/\\\s]", text)}
        paths = {piece for text in texts if not re.search(r"\s|://", text) for piece in re.split(r"[/\\]", text)}
        return {one for one in self.candidates if base_name(one) in pieces or top_folder(one) in paths - {""}}


def with_users_aside(tree: Tree, candidates: set[str]) -> set[str]:
    """The candidates, with the files beside the project that load them, directly or through one another."""
    found: set[str] = set()
    new = candidates
    while new:
        found |= new
        loading = Loading(tree, new, by_text=True)
        new = {path for path in loading.mentioning() if is_aside(path) and loading.loads(path) - {path}} - found
    return found


def drawn_in(tree: Tree, paths: list[str]) -> set[str]:
    """Unchanged files of the tests, or beside the project, that this change loads: an earlier change may have brought
    them unread."""
    left = {path for path in tree.entries if path.endswith(".py") and tree.is_file(path)} - set(paths)
    changed = [path for path in paths if path in tree and not is_aside(path)]
    aside = Loading(tree, {path for path in left if is_aside(path)}, by_text=True)
    tests = Loading(tree, {path for path in left if is_of_tests(path)})
    return aside.loaded_from(changed) | tests.loaded_from([path for path in changed if not is_of_tests(path)])


def written(module: ast.Module) -> Iterator[str]:
    """The strings of a file, except prose such as docstrings."""
    prose = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    return (text for node in ast.walk(module) if id(node) not in prose and (text := literal(node)))


def module_of(path: str) -> list[str]:
    return path.removesuffix(".py").removesuffix("/__init__").split("/")
