"""Reads what a project declares about itself in pyproject.toml."""

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from environment.declared import about
from environment.declared.project import CORRECT, GROUPS, Declared, dynamic, with_included
from environment.places import normal
from environment.problem import refused, shown

PROJECT_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?")


def of_pyproject(project):
    project.document = document = project.files.toml(project.pyproject)
    said, poetry = table(document, "project"), table(document, "tool", "poetry")
    if said:
        project.source = project.pyproject
        named(project, said.get("name"), said.get("version"))
        project.requires_python = specifiers(said.get("requires-python"), project.pyproject)
        project.about = about.of_table(said)
        scripts = {"console_scripts": table(said, "scripts"), "gui_scripts": table(said, "gui-scripts")}
        project.entry_points = {**table(said, "entry-points"), **scripts}
        if "dependencies" in said:
            project.dependencies = declared(project, "[project] dependencies", said["dependencies"])
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


def declared(project, label, lines):
    return Declared(project.files, project.pyproject, label, lines)


def of_groups(project):
    uv = table(project.document, "tool", "uv")
    found = {"dev": uv["dev-dependencies"]} if "dev-dependencies" in uv else {}
    found |= {normal(name): lines for name, lines in table(project.document, "dependency-groups").items()}
    known = {}
    for name in filter(found.__contains__, GROUPS):
        lines = with_included(found, name, (), known)
        project.groups[name] = declared(project, f"[dependency-groups] {name}", lines)


def of_dynamic(project):
    """Adds the requirements files that setuptools reads in place of lists in pyproject.toml."""
    tables = table(project.document, "tool", "setuptools", "dynamic")
    if "dependencies" in dynamic(project.document):
        add_files(project, tables.get("dependencies"))
    if "optional-dependencies" in dynamic(project.document):
        extras = tables.get("optional-dependencies", {})
        for name in GROUPS:
            add_files(project, extras.get(name) if isinstance(extras, dict) else None)


def add_files(project, given):
    found = given.get("file") if isinstance(given, dict) else None
    found = [found] if isinstance(found, str) else found or []
    project.dependency_files += [path for path in found if isinstance(path, str)]


def named(project, name, version):
    if not isinstance(name, str) or not PROJECT_NAME.fullmatch(name):
        raise refused(f"{project.source}: {shown(name)} is no name of a distribution.", CORRECT)
    project.name, project.version = name, version if isinstance(version, str) else None


def table(document, *keys):
    for key in keys:
        document = document.get(key, {})
        if not isinstance(document, dict):
            raise refused(f"pyproject.toml cannot be read: {shown(key)} is no table.", CORRECT)
    return document


def specifiers(text, path):
    try:
        return SpecifierSet(text) if text else None
    except (InvalidSpecifier, ValueError, AttributeError, TypeError):
        raise refused(f"{path}: {shown(text)} is no range of Python versions.", CORRECT) from None
