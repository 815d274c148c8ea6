"""What a project declares of itself in static files: its name, what it requires, what it can be asked for."""

import posixpath
import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from env_lines import refuse_place, requirement
from env_places import normal
from env_problem import refused, shown
from env_requirements import Asked

GROUPS = ("dev", "test", "tests", "testing")
PROJECT_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?")
CORRECT = "Correct the file, or name other files in TILTH_DEPENDENCIES."


class Project:
    """The project's own words, from pyproject.toml or, where that has no [project], from setup.cfg."""

    def __init__(self, files, folder=""):
        self.files = files
        self.pyproject = posixpath.join(folder, "pyproject.toml")
        self.setup_cfg = posixpath.join(folder, "setup.cfg")
        self.name = self.version = self.requires_python = self.source = None
        self.dependencies, self.extras, self.groups = None, {}, {}
        self.entry_points = {}  # group: {name: object}
        self.document = {}  # pyproject.toml
        self.folders = []  # where setup.cfg says that modules are
        self.dependency_files = []  # requirements files that stand for what is dynamic

    def own(self, name):
        return self.name is not None and normal(name) == normal(self.name)

    def extra(self, name, where):
        """What an extra of the project adds, its mentions of the project itself followed."""
        if normal(name) not in self.extras:
            raise refused(f"{where}: the project has no extra {shown(name)}.", "Name one that it declares.")
        return self.followed(self.extras[normal(name)], {normal(name)})

    def followed(self, found, seen):
        result = []
        for asked in found:
            if not self.own(asked.requirement.name):
                result.append(asked)
                continue
            for name in sorted(map(normal, asked.requirement.extras)):
                if name not in seen:
                    result += self.followed(self.extras.get(name, []), seen | {name})
        return result

    def dependencies_with(self, extras, where):
        found = self.followed(self.dependencies or [], set())
        for name in extras:
            found += self.extra(name, where)
        return found

    def unread(self, where):
        """What to tell where a file asks for the project and the project says nothing that can be read."""
        if self.dependencies is not None or "setup.py" not in self.files:
            return []
        return [f"{where} asks for what setup.py requires, which is not run: {WHAT_TO_SET}."]


WHAT_TO_SET = "write it into a requirements file and set TILTH_DEPENDENCIES to the files to take (comma list of paths)"


def of_pyproject(project):
    project.document = document = project.files.toml(project.pyproject)
    said, poetry, uv = table(document, "project"), table(document, "tool", "poetry"), table(document, "tool", "uv")
    if said:
        project.source = project.pyproject
        named(project, said.get("name"), said.get("version"))
        project.requires_python = specifiers(said.get("requires-python"), project.pyproject)
        scripts = {"console_scripts": table(said, "scripts"), "gui_scripts": table(said, "gui-scripts")}
        project.entry_points = {**table(said, "entry-points"), **scripts}
        if "dependencies" in said:
            project.dependencies = requirements(project, said["dependencies"], "[project] dependencies")
    elif isinstance(poetry.get("name"), str):
        project.source = f"{project.pyproject} [tool.poetry]"
        version = poetry.get("version")
        named(project, poetry["name"], version if version not in ("0", "0.0.0") else None)
        project.entry_points = {**table(poetry, "plugins"), "console_scripts": table(poetry, "scripts")}
    for name, lines in table(said, "optional-dependencies").items():
        label = f"[project.optional-dependencies] {shown(name)}"
        project.extras[normal(name)] = requirements(project, lines, label)
    groups = {"dev": uv["dev-dependencies"]} if "dev-dependencies" in uv else {}
    groups = {normal(name): lines for name, lines in {**groups, **table(document, "dependency-groups")}.items()}
    for name in GROUPS:
        if name in groups:
            lines = with_included(groups, name, ())
            project.groups[name] = requirements(project, lines, f"[dependency-groups] {name}")
    of_dynamic(project, said)


def of_dynamic(project, said):
    """What setuptools reads from requirements files instead of from pyproject.toml itself."""
    dynamic = said.get("dynamic", [])
    tables = table(project.document, "tool", "setuptools", "dynamic")
    if "dependencies" in dynamic:
        add_files(project, tables.get("dependencies"))
    if "optional-dependencies" in dynamic:
        extras = tables.get("optional-dependencies", {})
        for name in GROUPS:
            add_files(project, extras.get(name) if isinstance(extras, dict) else None)


def add_files(project, given):
    named_files = given.get("file") if isinstance(given, dict) else None
    named_files = [named_files] if isinstance(named_files, str) else named_files or []
    project.dependency_files += [path for path in named_files if isinstance(path, str)]


def with_included(groups, name, above):
    """The requirements of a dependency group, those of the groups that it includes in their place."""
    if name in above or len(above) > 50 or not isinstance(groups.get(name), list):
        raise refused(
            f"pyproject.toml [dependency-groups] {shown(name)} is missing, is no list, or includes itself.", CORRECT
        )
    found = []
    for line in groups[name]:
        if isinstance(line, dict) and isinstance(line.get("include-group"), str):
            found += with_included(groups, normal(line["include-group"]), (*above, name))
        else:
            found.append(line)
    return found


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


def requirements(project, lines, label, path=None):
    path = path or project.pyproject
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise refused(f"{path} {label} is no list of requirements.", CORRECT)
    return [requirement_of(project, line, label, path) for line in lines if line.strip()]


def requirement_of(project, line, label, path):
    where = f"{project.files.line_of(path, line)} ({label})"
    refuse_place(line.strip(), where)
    return Asked(requirement(line, where), where)


def specifiers(text, path):
    try:
        return SpecifierSet(text) if text else None
    except (InvalidSpecifier, ValueError, AttributeError, TypeError):
        raise refused(f"{path}: {shown(text)} is no range of Python versions.", CORRECT) from None
