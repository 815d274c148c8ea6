"""Judges what tests and conftests load and read as well, followed through their syntax trees; nothing is run."""

from __future__ import annotations

import ast
import shlex
from typing import NamedTuple

from check.tree.imports import (
    computes_plugins,
    imported,
    is_without_code,
    literal,
    loads_hooks_from,
    located,
    parse,
    places,
    plugins,
)
from check.tree.places import is_test
from check.tree.trees import base_name, folder_of, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal, Protocol

    from check.tree.text import Text
    from check.tree.trees import Tree

    Change = Literal["added", "deleted", "changed"]
    Offence = Literal["added", "deleted", "changed", "shadows"]
    # a path and the text of a file that stands there
    Source = tuple[str, str]

    class Judge(Protocol):
        """Compares two trees path by path, and takes the reports of what changed."""

        last: Tree
        tree: Tree
        text: Text
        staged: dict[str, bytes]
        paths: list[str]
        plugins: set[str]
        roots: list[str]

        def change_of(self, path: str) -> Change | None: ...

        def report(
            self, path: str, what: Offence, *, allowed: bool | None = None, remedy: str | None = None
        ) -> None: ...

        def is_mark(self, path: str) -> bool: ...

        def emptily_added(self, path: str) -> bool: ...


NEVER_NAMED = "it came with a task that did not name it, so it cannot judge: load it from no conftest and no test"


class Since(NamedTuple):
    """The tree of the session's base, and what the tasks accepted since then say."""

    base: str
    accepted: list[Text]


class Loaded:
    def __init__(self, judge: Judge, since: Since) -> None:
        self.judge = judge
        self.last = judge.last
        self.tree = judge.tree
        self.since = since
        self.named: set[str] = set()

    def compare(self, opened: Iterable[str]) -> None:
        self.follow_all()
        for path in sorted({*opened, *self.mentioned()}):
            change = self.judge.change_of(path)
            if path not in self.judge.staged and (change != "added" or path in opened):
                self.load(path, change)

    def follow_all(self) -> None:
        """Follows the imports of staged tests and conftests. A missing file is protected too: once added, it would be
        loaded."""
        todo = [(path, source.decode()) for path, source in self.judge.staged.items()]
        todo += [pair for path in self.judge.paths if is_conftest(path) for pair in self.versions(path)]
        todo += [pair for name in sorted(self.judge.plugins) for pair in self.follow(None, words(name), anywhere=True)]
        done: set[Source] = set()
        while todo:
            path, source = todo.pop()
            if (path, source) not in done:
                done.add((path, source))
                todo += self.loaded_from(path, source)

    def loaded_from(self, path: str, source: str) -> Iterator[Source]:
        self.named |= texts(source) if is_under_tests(path) or is_conftest(path) else set()
        for name in plugins(source):
            yield from self.follow(None, words(name), anywhere=True)
        for folder, name in loads_hooks_from(source, path) if is_conftest(path) else ():
            yield from self.follow(folder, name, anywhere=True)
        for one in self.beside(path) if computes_plugins(source) else ():
            yield from self.load(one, self.judge.change_of(one))
        for folder, name in imported(source, path):
            yield from self.follow(folder, name, anywhere=False)

    def follow(self, folder: str | None, name: tuple[str, ...], anywhere: bool) -> Iterator[Source]:
        """Judges the files that a name could be loaded from, and gives their sources. The project's own code, which
        tests load too, is not judged."""
        if folder is None:
            found = [located(tree, self.judge.roots, name[0]) for tree in (self.last, self.tree) if name]
            bases = {base for base in found if base}
        else:
            bases = {folder}
        if not anywhere and not any(is_under_tests(base) for base in bases):
            return
        for base in sorted(bases):
            paths = places(base, name if folder is not None else name[1:])
            for path in paths if is_under_tests(base) else paths[-3:]:
                if path not in self.judge.staged:
                    change = self.judge.change_of(path)
                    shadows = change == "added" and not anywhere and not path.startswith("tests/")
                    yield from self.load(path, "shadows" if shadows else change, ".".join(name))

    def load(self, path: str, change: Offence | None, module: str = "") -> list[Source]:
        """Compares a file that takes part in judging with the one in force, and gives its sources."""
        if change and not self.judge.emptily_added(path) and not self.is_put_back(path):
            self.judge.report(path, change)
        elif not change and self.came_unnamed(path, module):
            self.judge.report(path, "changed", allowed=False, remedy=self.way_back(path))
        return self.versions(path)

    def is_put_back(self, path: str) -> bool:
        return self.since.base != self.last.oid and path in self.tree and self.is_as_in_base(path)

    def came_unnamed(self, path: str, module: str) -> bool:
        """Whether a task that did not name the file changed it since the session's base, which it could while the file
        did not judge."""
        if path not in self.tree or self.since.base == self.last.oid or self.is_as_in_base(path):
            return False
        if self.judge.is_mark(path) and is_without_code(self.tree.text(path)):
            return False
        said = [self.judge.text, *self.since.accepted]
        return not any(text.names_file(path) or text.has_module(module) for text in said)

    def is_as_in_base(self, path: str) -> bool:
        real = self.tree.resolved(path)
        below = [one for one in self.tree.entries if one.startswith(f"{real}/")] or [real]
        return all(self.in_base(one) == self.tree.entries.get(one, (None, None))[1] for one in [path, *below])

    def in_base(self, path: str) -> str | None:
        return self.tree.repository.oid_at(self.since.base, path)

    def way_back(self, path: str) -> str:
        quoted = shlex.quote(shown(path))
        return f"git show {self.since.base}:{quoted} > {quoted}" if self.in_base(path) else NEVER_NAMED

    def beside(self, path: str) -> list[str]:
        below = folder_of(path) or "tests"
        return [
            one
            for one in self.judge.paths
            if one.endswith(".py") and one.startswith(f"{below}/") and not is_test(one) and one not in self.judge.staged
        ]

    def mentioned(self) -> Iterator[str]:
        """Data under tests/ that judging files name. Watching what a run opens is not enough: a red run may end before
        it reads them."""
        for path in self.judge.paths:
            if is_under_tests(path) and not path.endswith(".py") and base_name(path) in self.named:
                yield path

    def versions(self, path: str) -> list[Source]:
        return [(path, source) for tree in (self.last, self.tree) if (source := tree.text(path)) is not None]


def words(name: str) -> tuple[str, ...]:
    return tuple(name.split("."))


def texts(source: str) -> set[str]:
    """Strings that look like names of files."""
    module = parse(source)
    found: set[str] = {base_name(text) for node in ast.walk(module) if (text := literal(node))} if module else set()
    return {name for name in found if "." in name.strip(".")}


def is_conftest(path: str) -> bool:
    return base_name(path) == "conftest.py"


def is_under_tests(base: str) -> bool:
    return base == "tests" or base.startswith("tests/")
