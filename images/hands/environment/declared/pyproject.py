"""Reads what a project declares about itself in pyproject.toml."""

from __future__ import annotations

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from environment.declared import metadata_headers
from environment.declared.documents import is_list, is_table
from environment.declared.project import CORRECT, GROUPS, Project, RequirementList, dynamic
from environment.declared.requirements import MOST
from environment.distributions import normal
from environment.problem import refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROJECT_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?")
DEEPEST_GROUP = 50


def of_pyproject(project: Project) -> None:
    project.document = document = project.files.toml(project.pyproject)
    said, poetry = table(document, "project"), table(document, "tool", "poetry")
    if said:
        of_project_table(project, said)
    elif isinstance(poetry.get("name"), str):
        project.source = f"{project.pyproject} [tool.poetry]"
        version = poetry.get("version")
        named(project, poetry["name"], version if version not in ("0", "0.0.0") else None)
        project.entry_points = {**table(poetry, "plugins"), "console_scripts": table(poetry, "scripts")}
    for name, lines in table(said, "optional-dependencies").items():
        label = f"[project.optional-dependencies] {shown(name)}"
        project.extras[normal(name)] = declared(project, label, lines)
    of_groups(project)
    of_dynamic(project)


def of_project_table(project: Project, said: dict[str, Any]) -> None:
    project.source = project.pyproject
    named(project, said.get("name"), said.get("version"))
    project.requires_python = specifiers(said.get("requires-python"), project.pyproject)
    project.about = metadata_headers.of_table(said)
    scripts = {"console_scripts": table(said, "scripts"), "gui_scripts": table(said, "gui-scripts")}
    project.entry_points = {**table(said, "entry-points"), **scripts}
    if "dependencies" in said:
        project.dependencies = declared(project, "[project] dependencies", said["dependencies"])


def declared(project: Project, label: str, lines: object) -> RequirementList:
    return RequirementList(project.files, project.pyproject, label, lines)


def of_groups(project: Project) -> None:
    uv = table(project.document, "tool", "uv")
    found: dict[str, object] = {"dev": uv["dev-dependencies"]} if "dev-dependencies" in uv else {}
    found |= {normal(name): lines for name, lines in table(project.document, "dependency-groups").items()}
    known: dict[str, list[object]] = {}
    for name in filter(found.__contains__, GROUPS):
        lines = with_included(found, name, (), known)
        project.groups[name] = declared(project, f"[dependency-groups] {name}", lines)


def with_included(
    groups: dict[str, object], name: str, above: tuple[str, ...], known: dict[str, list[object]]
) -> list[object]:
    """The requirements of a dependency group, those of the groups that it includes in their place."""
    if name in known:
        return known[name]
    lines = groups.get(name)
    if name in above or len(above) > DEEPEST_GROUP or not is_list(lines):
        raise refused(f"[dependency-groups] {shown(name)} is missing, is no list, or includes itself.", CORRECT)
    found: list[object] = []
    for line in lines:
        if is_table(line) and isinstance(line.get("include-group"), str):
            found += with_included(groups, normal(line["include-group"]), (*above, name), known)
        else:
            found.append(line)
        if len(found) > MOST:
            raise refused(f"[dependency-groups] {shown(name)} holds more than {MOST} requirements.", CORRECT)
    known[name] = found
    return found


def of_dynamic(project: Project) -> None:
    """Adds the requirements files that setuptools reads in place of lists in pyproject.toml."""
    tables = table(project.document, "tool", "setuptools", "dynamic")
    if "dependencies" in dynamic(project.document):
        add_files(project, tables.get("dependencies"))
    if "optional-dependencies" in dynamic(project.document):
        extras = tables.get("optional-dependencies", {})
        for name in GROUPS:
            add_files(project, extras.get(name) if is_table(extras) else None)


def add_files(project: Project, given: object) -> None:
    found = given.get("file") if is_table(given) else None
    found = [found] if isinstance(found, str) else found or []
    project.dependency_files += [path for path in found if isinstance(path, str)]


def named(project: Project, name: object, version: object) -> None:
    if not isinstance(name, str) or not PROJECT_NAME.fullmatch(name):
        raise refused(f"{project.source}: {shown(name)} is no name of a distribution.", CORRECT)
    project.name, project.version = name, version if isinstance(version, str) else None


def table(document: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        inner = document.get(key, {})
        if not is_table(inner):
            raise refused(f"pyproject.toml cannot be read: {shown(key)} is no table.", CORRECT)
        document = inner
    return document


def specifiers(text: Any, path: str) -> SpecifierSet | None:
    try:
        return SpecifierSet(text) if text else None
    except (InvalidSpecifier, ValueError, AttributeError, TypeError):
        raise refused(f"{path}: {shown(text)} is no range of Python versions.", CORRECT) from None
