"""The folders in which a project keeps its modules, which stand on the path whether they exist already or not."""

from __future__ import annotations

import posixpath

from environment.declared.documents import is_list, is_table, list_in, strings_in, table_at
from environment.places import WORKSPACE
from environment.problem import counted, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from environment.declared.project import Project

MOST_ROOTS = 100
LONGEST = 1_000


def source_roots(project: Project) -> list[str]:
    """Declared folders come first; `src` is where the code goes when nobody says otherwise."""
    folders = [plain(folder) for folder in [*declared(project.document), *project.folders]]
    roots = list(dict.fromkeys(f"{WORKSPACE}/{folder}" for folder in folders if folder))
    if len(roots) > MOST_ROOTS:
        raise refused(
            f"The project names {counted(len(roots), 'folder')} to look for modules in.",
            f"Name at most {MOST_ROOTS} of them.",
        )
    return list(dict.fromkeys([*roots, WORKSPACE, f"{WORKSPACE}/src"]))


def plain(folder: object) -> str | None:
    if not isinstance(folder, str) or len(folder) > LONGEST or not folder.isprintable() or posixpath.isabs(folder):
        return None
    normal = posixpath.normpath(folder)
    return None if normal == "." or normal.startswith("..") else normal


def declared(document: dict[str, Any]) -> list[str]:
    """The folders that pyproject.toml names for the common build tools."""
    tool = table_at(document, "tool")
    setuptools = table_at(tool, "setuptools")
    package_dir = table_at(setuptools, "package-dir").get("")
    where = table_at(setuptools, "packages", "find").get("where", [])
    found: list[object] = [package_dir, *(where if is_list(where) else [where])]
    wheel = table_at(tool, "hatch", "build", "targets", "wheel")
    hatch = table_at(tool, "hatch", "build").get("packages")
    for package in [*strings_in(hatch), *strings_in(wheel.get("packages"))]:
        found.append(posixpath.dirname(package))
    found += strings_in(wheel.get("sources"))
    found += [one.get("from") for one in list_in(table_at(tool, "poetry").get("packages")) if is_table(one)]
    found.append(table_at(tool, "pdm", "build").get("package-dir"))
    found.append(table_at(tool, "maturin").get("python-source"))
    found.append(table_at(tool, "uv", "build-backend").get("module-root"))
    return [folder for folder in found if isinstance(folder, str)]
