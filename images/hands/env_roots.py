"""Where a project keeps its modules: the folders that stand on the path, its root last."""

import posixpath

from env_places import WORKSPACE


def source_roots(project, paths):
    folders = [*declared(project.document), *project.folders]
    if any(path.startswith("src/") and path.endswith(".py") for path in paths) and "src/__init__.py" not in paths:
        folders.append("src")
    roots = [folder for folder in map(plain, folders) if folder and holds_modules(folder, paths)]
    return [*dict.fromkeys(f"{WORKSPACE}/{folder}" for folder in roots), WORKSPACE]


def plain(folder):
    if not isinstance(folder, str) or not folder.isprintable() or posixpath.isabs(folder):
        return None
    normal = posixpath.normpath(folder)
    return None if normal == "." or normal.startswith("..") else normal


def holds_modules(folder, paths):
    return any(path.startswith(f"{folder}/") for path in paths)


def declared(document):
    """What the common build tools are told in pyproject.toml."""
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
