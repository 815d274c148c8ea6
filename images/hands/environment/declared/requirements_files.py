"""Reads what requirements files ask for, and the files that they include."""

from __future__ import annotations

import posixpath

from environment.declared.requirement_lines import IncludeLine, OptionLine, ProjectLine, RequirementLine, lines_of
from environment.declared.requirements import LocatedRequirement, Requirements
from environment.distributions import normal
from environment.problem import refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from environment.declared.files import Files
    from environment.declared.project import Project
    from environment.declared.requirement_lines import SourceLine

DEEPEST = 50


class RequirementsFiles:
    def __init__(self, files: Files, project: Project, from_source: Iterable[str]) -> None:
        self.files, self.project, self.from_source = files, project, set(from_source)
        self.wanted = Requirements()
        # paths that were read, each with whether its lines are constraints
        self.seen: set[tuple[str, bool]] = set()

    def read(self, path: str, as_constraints: bool = False, depth: int = 0) -> None:
        if (path, as_constraints) in self.seen:
            return
        self.seen.add((path, as_constraints))
        if depth > DEEPEST:
            raise refused(f"{path} is included through more than {DEEPEST} files.", "Include it more directly.")
        hashed: list[RequirementLine] = []
        plain: list[RequirementLine] = []
        must = False
        for line in lines_of(path, self.files.text(path)):
            if isinstance(line, IncludeLine):
                included = self.included(path, line.path, line.where)
                self.read(included, as_constraints or line.as_constraints, depth + 1)
            elif isinstance(line, RequirementLine):
                (hashed if line.hashes else plain).append(line)
                self.take(line, as_constraints)
            elif isinstance(line, OptionLine):
                must = must or line.option == "hashes"
                self.wanted.prereleases = self.wanted.prereleases or line.option == "prereleases"
            else:
                self.other(line, as_constraints)
        if plain and (hashed or must):
            refuse_unhashed(plain, hashed)

    def take(self, line: RequirementLine, as_constraints: bool) -> None:
        asked, name = LocatedRequirement(line.requirement, line.where), normal(line.requirement.name)
        if self.project.own(name):
            if not as_constraints:
                self.of_project(sorted(line.requirement.extras), line.where)
            return
        if line.hashes:
            self.wanted.hashes.setdefault(name, set()).update(line.hashes)
        if as_constraints:
            self.wanted.constraints.append(asked)
        elif line.hashes:
            self.wanted.requirements.append(asked)
        else:
            self.wanted.add([asked])

    def other(self, line: ProjectLine | SourceLine, as_constraints: bool) -> None:
        if not isinstance(line, ProjectLine):
            self.refuse_source(line)
        elif as_constraints:
            raise refused(f"{line.where}: the project itself cannot be a constraint.", "Leave the line out.")
        else:
            self.of_project(line.extras, line.where)

    def of_project(self, extras: Sequence[str], where: str) -> None:
        project = self.project
        self.wanted.add(project.runtime())
        for name in extras:
            self.wanted.add(project.extra(name, where))
        for path in project.dependency_files:
            self.read(self.included("", path, where))
        self.wanted.said += project.unread()

    def refuse_source(self, line: SourceLine) -> None:
        for name in line.names:
            if name == ":all:" or normal(name) not in self.from_source:
                raise refused(
                    f"{line.where}: {shown(name)} is to be built from source, and only wheels are taken.",
                    "Leave the line out."
                    if name == ":all:"
                    else f"Leave the line out, or allow it with TILTH_BUILD_FROM_SOURCE={shown(normal(name))}",
                )

    def included(self, path: str, target: str, where: str) -> str:
        if "://" in target:
            raise refused(f"{where}: URLs are not taken: {shown(target)}", "Include a file of the repository.")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if posixpath.isabs(target) or found.startswith(".."):
            raise refused(f"{where}: {shown(target)} leads out of the repository.", "Include a file inside it.")
        if found not in self.files:
            raise refused(f"{where}: there is no file {shown(found)} in the repository.", "Add it, or leave it out.")
        return found


def refuse_unhashed(plain: Sequence[RequirementLine], hashed: Sequence[RequirementLine]) -> None:
    first = plain[0]
    raise refused(
        f"{first.where}: {first.requirement.name} has no hash, and the file's other lines have."
        if hashed
        else f"{first.where}: {first.requirement.name} has no hash, and the file has --require-hashes.",
        "Give every line of the file a hash, or none.",
    )
