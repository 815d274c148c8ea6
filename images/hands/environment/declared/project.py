"""A project as it describes itself: its name, its requirements, its extras and groups."""

from __future__ import annotations

import posixpath

from packaging.requirements import InvalidRequirement, Requirement

from environment.declared.documents import is_list, list_in, table_at
from environment.declared.requirement_lines import refuse_place, requirement
from environment.declared.requirements import LocatedRequirement
from environment.distributions import normal
from environment.problem import refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from packaging.specifiers import SpecifierSet

    from environment.declared.files import Files
    from environment.declared.metadata_headers import Headers

GROUPS = ("dev", "test", "tests", "testing")
CORRECT = "Correct the file, or name other files in TILTH_DEPENDENCIES."
WHAT_TO_SET = "write it into a requirements file and set TILTH_DEPENDENCIES to the files to take (comma list of paths)"


class RequirementList:
    """The lines of one list of requirements, parsed only when they are asked for: an error in a list that nobody takes
    is none."""

    def __init__(self, files: Files, path: str, label: str, lines: object) -> None:
        self.files, self.path, self.label, self.lines = files, path, label, lines

    def asked(self) -> list[LocatedRequirement]:
        if not is_list(self.lines) or not all(isinstance(line, str) for line in self.lines):
            raise refused(f"{self.path} {self.label} is no list of requirements.", CORRECT)
        return [self.one(line.strip()) for line in self.lines if line.strip()]

    def one(self, line: str) -> LocatedRequirement:
        where = f"{self.files.line_of(self.path, line)} ({self.label})"
        refuse_place(line, where)
        return LocatedRequirement(requirement(line, where), where)

    def stated(self) -> Iterator[Requirement]:
        """The requirements that can be stated in metadata."""
        for line in list_in(self.lines):
            try:
                yield Requirement(line)
            except (InvalidRequirement, ValueError, TypeError, RecursionError):
                continue


class Project:
    def __init__(self, files: Files, folder: str = "") -> None:
        self.files = files
        self.pyproject = posixpath.join(folder, "pyproject.toml")
        self.setup_cfg = posixpath.join(folder, "setup.cfg")
        self.name: str | None = None
        self.version: str | None = None
        self.requires_python: SpecifierSet | None = None
        self.source: str | None = None  # the file, or the table of it, that has the name
        self.about: Headers = []
        self.dependencies: RequirementList | None = None
        self.extras: dict[str, RequirementList] = {}
        self.groups: dict[str, RequirementList] = {}
        self.entry_points: dict[str, Any] = {}  # group: {name: object}
        self.document: dict[str, Any] = {}  # pyproject.toml
        self.folders: list[object] = []  # folders of modules that setup.cfg or setup.py names
        self.dependency_files: list[str] = []  # requirements files that a dynamic field refers to

    def own(self, name: str) -> bool:
        return self.name is not None and normal(name) == normal(self.name)

    def runtime(self) -> list[LocatedRequirement]:
        return self.followed(self.dependencies.asked(), set()) if self.dependencies else []

    def group(self, name: str) -> list[LocatedRequirement]:
        return self.followed(self.groups[name].asked(), set())

    def extra(self, name: str, where: str | None) -> list[LocatedRequirement]:
        if normal(name) not in self.extras:
            raise refused(f"{where}: the project has no extra {shown(name)}.", "Name one that it declares.")
        return self.followed(self.extras[normal(name)].asked(), {normal(name)})

    def followed(self, found: Sequence[LocatedRequirement], seen: set[str]) -> list[LocatedRequirement]:
        """The list with each mention of the project itself replaced by what its extras add."""
        result: list[LocatedRequirement] = []
        for asked in found:
            if not self.own(asked.requirement.name):
                result.append(asked)
                continue
            for name in sorted({*map(normal, asked.requirement.extras)} - seen):
                seen.add(name)
                result += self.followed(self.extras[name].asked(), seen) if name in self.extras else []
        return result

    def unread(self) -> list[str]:
        """Sentences about dependencies that could only be known by running a program."""
        if self.dependencies is not None or self.dependency_files:
            return []
        if "setup.py" in self.files and "install_requires" in self.files.text_or_nothing("setup.py"):
            return [f"What setup.py requires is not known, because it is not run: {WHAT_TO_SET}."]
        if "dependencies" in dynamic(self.document):
            return [f"What {self.pyproject} requires is dynamic and not known: {WHAT_TO_SET}."]
        return []


def dynamic(document: dict[str, Any]) -> list[Any]:
    return list_in(table_at(document, "project").get("dynamic"))
