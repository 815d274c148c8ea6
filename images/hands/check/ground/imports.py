"""Tells whether the modules that tests import from beside them were loaded from the files there."""

from __future__ import annotations

import ast
import builtins
import os
import sys
import types

from check.project import options
from check.project.library import is_library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeGuard

    # the level of an import, and the name that it gives
    ImportedName = tuple[int, str]

__builtins__ = {**vars(builtins)}

MOCKING = {"mock", "patch", "Mock", "MagicMock", "mocker"}
parse, walk = ast.parse, ast.walk
# None: no module has been found
modules: dict[str | None, types.ModuleType] = sys.modules  # pyright: ignore[reportAssignmentType]


class Imports:
    """`roots`: folders with the project's modules; a module that is found there too may honestly come first."""

    def __init__(self, sources: Mapping[str, bytes], roots: Iterable[str]) -> None:
        self.sources = sources
        self.elsewhere = {name for root in roots for name in importable(root)}
        self.roots = {*roots}
        self.wanted: dict[str, list[ImportedName]] = {}
        self.loaded: dict[str | None, tuple[types.ModuleType, str]] = {}
        self.words: set[str] = set()
        self.strings: dict[str, set[object]] = {}

    def read(self, filename: str, names: list[ImportedName], code: types.CodeType) -> None:
        """Notes the unconditional imports of a judging file, and the names in its code."""
        self.roots.add(root_of(filename))
        self.wanted[filename] = names
        self.words.update(words_in(code))

    def note(self, filename: str, name: str | None) -> None:
        """Notes the module that is about to run a file."""
        names = [name] if name else (each for each in reversed(modules) if is_at(modules.get(each), filename))
        name = next(iter(names), None)
        if is_at(modules.get(name), filename):
            self.loaded[name] = modules[name], filename

    def planted(self) -> list[str]:
        """Imported names that stand for something other than the file beside the tests."""
        found: dict[str, bool] = {}
        for importer, (module, filename) in [*self.loaded.items()]:
            for level, name in self.wanted.get(filename, ()) if modules.get(importer) is module else ():
                whole = absolute(vars(module).get("__package__"), level, name)
                if whole and self.stands(whole) and not self.is_real(whole):
                    found[whole] = True
        return [*found]

    def stands(self, name: str) -> bool:
        top = name.partition(".")[0]
        if is_library(top) or top == "conftest" or top in self.elsewhere:
            return False
        return any(file in self.sources for file in self.files(name))

    def is_real(self, name: str) -> bool:
        loaded = self.loaded.get(name)
        return loaded is not None and modules.get(name) is loaded[0] and loaded[1] in self.files(name)

    def files(self, name: str) -> Iterator[str]:
        for root in self.roots:
            path = os.path.join(root, *name.split("."))
            yield from (f"{path}.py", f"{path}/__init__.py")

    def assign(self, name: str) -> bool:
        """Whether a test file sets an attribute of that name. Parses every file, and is asked only when one was
        replaced."""
        sources = [self.sources[filename] for filename in self.wanted if filename in self.sources]
        nodes = (node for source in sources for node in walk(parse(source)))
        return any(type(node) is ast.Attribute and node.attr == name and type(node.ctx) is ast.Store for node in nodes)

    def patch(self, what: str) -> bool:
        """Whether a test file gives the name to unittest's mock. Asked at each assertion while the name stands for
        something else."""
        named = {what, what.rpartition(".")[2]}
        return self.mock() and any(named & self.strings_in(filename) for filename in [*self.wanted])

    def strings_in(self, filename: str) -> set[object]:
        if filename not in self.strings:
            nodes = walk(parse(self.sources.get(filename, "")))
            self.strings[filename] = {node.value for node in nodes if type(node) is ast.Constant}
        return self.strings[filename]

    def mock(self) -> bool:
        known = modules.get("conftest")
        return bool(MOCKING & (self.words | {*vars(known)} if type(known) is types.ModuleType else self.words))


def importable(root: str) -> Iterator[str]:
    """Names of the modules in a folder that are no part of the tests."""
    try:
        with os.scandir(root) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return
    for name in names:
        path = os.path.join(root, name)
        is_package = os.path.exists(os.path.join(path, "__init__.py"))
        if (name.endswith(".py") or is_package) and not f"{path}/".startswith(options.TESTS):
            yield name.removesuffix(".py")


def is_at(module: object, filename: str) -> TypeGuard[types.ModuleType]:
    held = vars(module).get("__file__") if type(module) is types.ModuleType else None
    return type(held) is str and held == filename


def root_of(filename: str) -> str:
    """The folder that pytest puts in front of the path for a file."""
    folder = os.path.dirname(filename)
    while folder != options.WORKSPACE and os.path.exists(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def absolute(package: object, level: int, name: str) -> str | None:
    if not level:
        return name
    parts = package.split(".") if type(package) is str and package else []
    kept = parts[: len(parts) - level + 1]
    return ".".join([*kept, *([name] if name else [])]) if kept else None


def names_in(tree: ast.Module) -> Iterator[ImportedName]:
    """Modules, each with its level, that a file imports at its top level, outside any condition, and names that may be modules."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            yield node.level, start
            yield from ((node.level, f"{start}.{alias.name}".lstrip(".")) for alias in node.names)


def words_in(code: types.CodeType) -> Iterator[str]:
    """Every name that code uses, except its own variables."""
    yield from code.co_names
    for each in code.co_consts:
        if type(each) is types.CodeType:
            yield from words_in(each)
