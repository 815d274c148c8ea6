"""The folders in which a project keeps its modules, which stand on the path whether they exist already or not."""

import posixpath

from environment.places import WORKSPACE
from environment.problem import counted, refused

MOST_ROOTS = 100
LONGEST = 1_000


def source_roots(project):
    """Declared folders come first; `src` is where the code goes when nobody says otherwise."""
    folders = [plain(folder) for folder in [*declared(project.document), *project.folders]]
    roots = list(dict.fromkeys(f"{WORKSPACE}/{folder}" for folder in folders if folder))
    if len(roots) > MOST_ROOTS:
        raise refused(
            f"The project names {counted(len(roots), 'folder')} to look for modules in.",
            f"Name at most {MOST_ROOTS} of them.",
        )
    return list(dict.fromkeys([*roots, WORKSPACE, f"{WORKSPACE}/src"]))


def plain(folder):
    if not isinstance(folder, str) or len(folder) > LONGEST or not folder.isprintable() or posixpath.isabs(folder):
        return None
    normal = posixpath.normpath(folder)
    return None if normal == "." or normal.startswith("..") else normal


def declared(document):
    """The folders that pyproject.toml names for the common build tools."""
    tool = get(document, "tool")
    setuptools = get(tool, "setuptools")
    package_dir = get(setuptools, "package-dir").get("")
    where = get(setuptools, "packages", "find").get("where", [])
    found = [package_dir, *(where if isinstance(where, list) else [where])]
    wheel = get(tool, "hatch", "build", "targets", "wheel")
    for package in [*strings(get(tool, "hatch", "build").get("packages")), *strings(wheel.get("packages"))]:
        found.append(posixpath.dirname(package))
    found += strings(wheel.get("sources"))
    packages = get(tool, "poetry").get("packages", [])
    found += [one.get("from") for one in packages if isinstance(one, dict)] if isinstance(packages, list) else []
    found.append(get(tool, "pdm", "build").get("package-dir"))
    found.append(get(tool, "maturin").get("python-source"))
    found.append(get(tool, "uv", "build-backend").get("module-root"))
    return [folder for folder in found if isinstance(folder, str)]


def get(document, *keys):
    for key in keys:
        document = document.get(key, {}) if isinstance(document, dict) else {}
    return document if isinstance(document, dict) else {}


def strings(value):
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
