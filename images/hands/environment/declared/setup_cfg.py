"""Reads what a project declares in setup.cfg."""

from __future__ import annotations

import re

from environment.declared import metadata_headers
from environment.declared.project import GROUPS, Project, RequirementList
from environment.declared.pyproject import named, specifiers
from environment.distributions import normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from configparser import RawConfigParser

BETWEEN = re.compile(r";(?!\s*\(?\s*[a-z_]+\s*[=<>!~n])")
FILES = re.compile(r"file:\s*(.+)")


def of_setup_cfg(project: Project, sections: RawConfigParser) -> None:
    said, options = section(sections, "metadata"), section(sections, "options")
    project.folders = folders(options, section(sections, "options.packages.find"))
    if project.name is None and "name" in said:
        project.source = project.setup_cfg
        version = said.get("version", "")
        named(project, said["name"].strip(), None if ":" in version else version.strip() or None)
        project.about = metadata_headers.of_words(said)
        project.entry_points = entry_points(section(sections, "options.entry_points"))
    if project.requires_python is None:
        project.requires_python = specifiers(options.get("python_requires", "").strip(), project.setup_cfg)
    if project.dependencies is None and "install_requires" in options:
        project.dependencies = requirements(project, options["install_requires"], "install_requires")
    for name, text in section(sections, "options.extras_require").items():
        if normal(name) not in project.extras:
            label = f"extras_require {name}"
            project.extras[normal(name)] = requirements(project, text, label, normal(name) in GROUPS)


def requirements(project: Project, text: str, label: str, follow: bool = True) -> RequirementList:
    if found := FILES.fullmatch(text.strip()):
        project.dependency_files += [path.strip() for path in found[1].split(",")] if follow else []
        return RequirementList(project.files, project.setup_cfg, label, [])
    return RequirementList(project.files, project.setup_cfg, label, [line.strip() for line in lines(text)])


def lines(text: str) -> list[str]:
    """setuptools takes a list on lines of its own, or on one line with semicolons where no marker is meant."""
    found = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return found if "\n" in text else [part for line in found for part in BETWEEN.split(line)]


def section(sections: RawConfigParser, name: str) -> dict[str, str]:
    return dict(sections.items(name)) if sections.has_section(name) else {}


def entry_points(groups: dict[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for group, text in groups.items():
        pairs = [line.partition("=") for line in text.splitlines() if "=" in line]
        found[group] = {name.strip(): value.strip() for name, _, value in pairs}
    return found


def folders(options: dict[str, str], find: dict[str, str]) -> list[object]:
    mapped = [line.partition("=") for line in options.get("package_dir", "").splitlines() if "=" in line]
    return [*(folder.strip() for name, _, folder in mapped if not name.strip()), find.get("where", "").strip()]
