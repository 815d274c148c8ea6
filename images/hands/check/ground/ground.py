"""Notices when the project changes the ground that tests stand on: what they compare and measure with, the modules they
import beside them, and their files. The tests themselves may change what they like."""

from __future__ import annotations

import builtins

import pytest

from check.ground import files as files_in
from check.ground import guarded
from check.ground import imports as imports_in
from check.project import origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from check.wire.shapes import GroundChange, GroundKind


__builtins__ = {**vars(builtins)}

MOST = 50
TOGETHER: dict[str, tuple[str, ...]] = {
    "approx": (f"{pytest.approx.__module__}.Approx",),
    **dict.fromkeys(("raises", "RaisesGroup", "RaisesExc"), ("_pytest.raises.", f"{pytest.raises.__module__}.Raises")),
    **dict.fromkeys(("dumps", "dump"), ("json.encoder.", "json._default_encoder")),
    **dict.fromkeys(("loads", "load"), ("json.decoder.", "json._default_decoder")),
    "TestCase": ("unittest.case.TestCase",),
    "Path": ("pathlib.",),
}


def take() -> None:
    """Remembers the present state as the one that has to stay."""
    global PARTS, FUNCTIONS
    PARTS = guarded.guarded_parts()
    FUNCTIONS = guarded.Functions(PARTS)


take()


class Ground:
    """The ground of one run. `item`: the test that runs."""

    def __init__(self, sources: Mapping[str, bytes], files: Iterable[str], roots: Iterable[str]) -> None:
        self.imports = imports_in.Imports(sources, roots)
        self.files = files_in.Files(files)
        self.found: dict[tuple[str, str], GroundChange] = {}
        self.item: pytest.Item | None = None
        self.at_hand: tuple[guarded.Part, ...] = ()
        self.near: tuple[guarded.Part, ...] = ()

    def look_ahead(self) -> None:
        """Picks the parts that the judging sources can use: modules are compared at each assertion, classes at the end
        of each test."""
        words = self.imports.words
        starts = tuple(start for word, together in TOGETHER.items() if word in words for start in together)
        self.at_hand = tuple(part for each in PARTS if not each.bases and (part := each.of(words)))
        self.near = tuple(each for each in PARTS if each.bases and each.label.startswith(starts))

    def after_collection(self) -> None:
        """Compares everything once the tests and the project have been imported."""
        self.look_ahead()
        self.compare_all()
        for name in self.imports.planted():
            self.note("planted", name, "")
        for path in self.files.changed():
            self.note("rewritten", path, "")

    def at_assertion(self) -> None:
        for part in self.at_hand:
            if not part.holds():
                self.compare(part)

    def after_call(self) -> None:
        self.at_assertion()
        for part in self.near:
            if not part.holds():
                self.compare(part)

    def at_end(self) -> None:
        self.item = None
        self.compare_all()
        for path in self.files.changed():
            self.note("rewritten_by_tests", path, "")

    def compare(self, part: guarded.Part) -> None:
        """While a test runs, a replaced name may be its own patch."""
        for what, value in part.replaced():
            where = origin.project_file(value)
            if where is not None and not self.is_patched_by_test(what):
                self.note("replaced", what, where)

    def compare_all(self) -> None:
        """No test runs now, so only lasting replacements are found."""
        replaced = [pair for part in PARTS if not part.holds() for pair in part.replaced()]
        changed = () if FUNCTIONS.hold() else FUNCTIONS.changed()
        for what, value in replaced:
            where = origin.project_file(value)
            if where is not None or not self.is_of_tests(what, value):
                self.note("replaced", what, where or "")
        for what, function in changed:
            self.note("replaced", what, origin.project_file(function) or "")

    def is_of_tests(self, what: str, value: object) -> bool:
        """Whether the tests replaced it, or an installed package, which may."""
        if origin.is_mock(value) and self.imports.mock():
            return True
        name = what.rpartition(".")[2]
        return origin.is_made_by_tests(value) or origin.is_installed(value) or self.imports.assign(name)

    def is_patched_by_test(self, what: str) -> bool:
        """The value does not matter: pytest's monkeypatch knows what it replaced, and a patch of unittest is named in
        the source."""
        given: Mapping[str, object] = getattr(self.item, "funcargs", None) or {}
        done = getattr(given.get("monkeypatch"), "_setattr", None) or ()
        return any(name == what.rpartition(".")[2] for _, name, _ in done) or self.imports.patch(what)

    def note(self, kind: GroundKind, what: str, where: str) -> None:
        if len(self.found) < MOST:
            self.found.setdefault((kind, what), {"kind": kind, "what": what, "where": where})

    def told(self) -> list[GroundChange]:
        return [*self.found.values()]
