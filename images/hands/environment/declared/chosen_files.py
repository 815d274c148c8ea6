"""Chooses the dependency files of a base, in the order that is told to people."""

from __future__ import annotations

import posixpath
import re

from environment.declared.documents import is_list, is_table, table_at
from environment.declared.files import is_pylock
from environment.declared.project import GROUPS
from environment.declared.project_files import project_of
from environment.declared.pylock import pins_of_pylock
from environment.declared.requirements_files import RequirementsFiles
from environment.declared.uv_lock import pins_of_uv
from environment.distributions import normal
from environment.problem import listed, refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from environment.declared.files import Files
    from environment.declared.project import Project, RequirementList
    from environment.declared.requirements import Requirements
    from environment.wire import BuildOrder

EXTRA_FILE = re.compile(
    r"(?:requirements/)?(?:requirements[-_.](?:dev|tests?)|(?:dev|tests?)[-_.]requirements)\.txt"
    r"|requirements/(?:dev|tests?)\.txt"
)
IN_SUBFOLDER = re.compile(r".*/(?:[^/]*requirements[^/]*|requirements/[^/]+)\.txt|requirements/[^/]+\.txt")
SOURCES_REFUSED = ("git", "url", "path", "workspace", "index")


def wanted_of(files: Files, project: Project, order: BuildOrder, groups: Iterable[str] = GROUPS) -> Requirements:
    """`groups`: the groups and extras that are taken with what the project declares."""
    reader = RequirementsFiles(files, project, order["from_source"])
    wanted = reader.wanted
    if order["named"] is not None:
        for path in order["named"] if order["named"] != ["none"] else []:
            of_named(reader, path)
    else:
        first = first_kind(reader, groups)
        for path in filter(EXTRA_FILE.fullmatch, files):
            if asks(reader, path):
                wanted.taken.append(path)
        refuse_poetry(project, first)
        wanted.said += left_aside(reader, first)
    refuse_sources(project, wanted)
    return wanted


def first_kind(reader: RequirementsFiles, groups: Iterable[str]) -> str | None:
    files, project, wanted = reader.files, reader.project, reader.wanted
    if "pylock.toml" in files:
        pins_of_pylock(files, "pylock.toml", project, wanted)
        return "pylock.toml"
    if "uv.lock" in files:
        pins_of_uv(files, "uv.lock", wanted)
        return "uv.lock"
    if "requirements.txt" in files and asks(reader, "requirements.txt"):
        wanted.taken.append("requirements.txt")
        return "requirements.txt"
    return declared(reader, groups=groups)


def asks(reader: RequirementsFiles, path: str) -> bool:
    before = len(reader.wanted.requirements)
    reader.read(path)
    return len(reader.wanted.requirements) > before


def declared(reader: RequirementsFiles, project: Project | None = None, groups: Iterable[str] = GROUPS) -> str | None:
    """Takes what a project's own metadata declares, with its dev and test groups and extras."""
    project, wanted = project or reader.project, reader.wanted
    before = len(wanted.taken)
    if project.dependencies is not None:
        wanted.add(project.runtime())
        wanted.taken.append(label(project, project.dependencies, "[project]", "[options]"))
    for path in project.dependency_files:
        if path not in reader.files:
            raise refused(f"The project takes dependencies from {shown(path)}, which is not there.", "Add the file.")
        reader.read(path)
        wanted.taken.append(path)
    for name in filter(project.groups.__contains__, groups):
        wanted.add(project.group(name))
        wanted.taken.append(f"{project.pyproject} [dependency-groups] {name}")
    for name in filter(project.extras.__contains__, groups):
        wanted.add(project.extra(name, project.source))
        table = label(project, project.extras[name], "[project.optional-dependencies]", "[options.extras_require]")
        wanted.taken.append(f"{table} {name}")
    return project.pyproject if len(wanted.taken) > before else None


def label(project: Project, found: RequirementList, in_pyproject: str, in_setup_cfg: str) -> str:
    return f"{found.path} {in_setup_cfg if found.path == project.setup_cfg else in_pyproject}"


def of_named(reader: RequirementsFiles, path: str) -> None:
    files, name = reader.files, posixpath.basename(path)
    if path not in files:
        raise refused(
            f"TILTH_DEPENDENCIES names {shown(path)}, which is not in the repository.", "Correct the setting."
        )
    if is_pylock(path):
        pins_of_pylock(files, path, reader.project, reader.wanted)
    elif name == "uv.lock":
        pins_of_uv(files, path, reader.wanted)
    elif name in ("pyproject.toml", "setup.cfg"):
        if declared(reader, project_of(files, posixpath.dirname(path))) is None:
            raise refused(f"TILTH_DEPENDENCIES names {path}, which declares no dependencies.", "Correct the setting.")
    elif name.endswith((".txt", ".in")):
        reader.read(path)
        reader.wanted.taken.append(path)
    else:
        raise refused(
            f"TILTH_DEPENDENCIES names {shown(path)}, which is no dependency file that is known.",
            "Name requirements files, pyproject.toml, setup.cfg, uv.lock or pylock.toml.",
        )


def refuse_poetry(project: Project, first: str | None) -> None:
    if first is None and project.source == "pyproject.toml [tool.poetry]":
        raise refused(
            "pyproject.toml has [tool.poetry] and no [project]: dependencies of that form are not read.",
            "Set TILTH_DEPENDENCIES to a requirements file (or a comma list of paths), for example one made with"
            " `poetry export --with dev`, or to none.",
        )


def refuse_sources(project: Project, wanted: Requirements) -> None:
    """A package that pyproject.toml takes from a place of its own is another thing in the package index."""
    places = {normal(name): place for name, place in table_at(project.document, "tool", "uv", "sources").items()}
    for asked in wanted.requirements:
        place = places.get(normal(asked.requirement.name))
        for one in place if is_list(place) else [place]:
            kind = next((key for key in SOURCES_REFUSED if is_table(one) and key in one), None)
            if kind and not project.own(asked.requirement.name):
                raise refused(
                    f"{asked.where}: {asked.requirement.name} is to come from a place of its own"
                    f" ({kind}, in [tool.uv.sources]), which is not taken.",
                    "Commit uv.lock if that place is a package index, or name other files in TILTH_DEPENDENCIES.",
                )


def left_aside(reader: RequirementsFiles, first: str | None) -> Iterator[str]:
    """Sentences about what a person may have meant to be taken, and how to ask for it."""
    files, project = reader.files, reader.project
    read = [path for path, _ in reader.seen]
    taken = list(dict.fromkeys(label.split(" ")[0] for label in reader.wanted.taken))
    if first == "requirements.txt":
        labels = ["[project]"] if project.dependencies and project.dependencies.path == project.pyproject else []
        labels += [f"[dependency-groups] {name}" for name in project.groups]
        labels += [f"[project.optional-dependencies] {name}" for name in GROUPS if name in project.extras]
        if labels and "pyproject.toml" in files:
            line = ",".join([*taken, "pyproject.toml"])
            yield (
                f"pyproject.toml is not taken beside requirements.txt; to take its {listed(labels)} as well,"
                f" set TILTH_DEPENDENCIES={line}."
            )
    elif first not in ("pylock.toml", "uv.lock"):
        yield from project.unread()
    others = [path for path in files if path not in read and IN_SUBFOLDER.fullmatch(path)]
    others += [path for path in files if "/" in path and posixpath.basename(path) in ("pyproject.toml", "setup.cfg")]
    if first is None and others:
        line = ",".join([*taken, *others[:5]])
        names = listed(map(shown, others[:5]))
        is_one = len(others) == 1
        yield (
            f"{names} in a subfolder {'is' if is_one else 'are'} not taken;"
            f" to take {'it' if is_one else 'them'}, set TILTH_DEPENDENCIES={line}."
        )
