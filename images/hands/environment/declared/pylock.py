"""Reads what pylock.toml pins for this Python, by name, version and hash."""

from __future__ import annotations

from packaging.pylock import Pylock, PylockSelectError, PylockValidationError
from packaging.version import InvalidVersion

from environment.declared.pins import add_pin, malformed, not_taken
from environment.declared.project import GROUPS
from environment.distributions import normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from packaging.pylock import Package

    from environment.declared.files import Files
    from environment.declared.project import Project
    from environment.declared.requirements import Requirements


def pins_of_pylock(files: Files, path: str, project: Project, wanted: Requirements) -> None:
    try:
        lock = Pylock.from_dict(files.toml(path))
        groups = {*(lock.default_groups or []), *(name for name in lock.dependency_groups or [] if name in GROUPS)}
        chosen = lock.select(extras=[name for name in lock.extras or [] if name in GROUPS], dependency_groups=groups)
        for package, _ in chosen:
            of_package(path, package, project, wanted)
    except (PylockSelectError, PylockValidationError, InvalidVersion, ValueError, RecursionError) as error:
        raise malformed(path, error) from None
    wanted.taken.append(path)


def of_package(path: str, package: Package, project: Project, wanted: Requirements) -> None:
    if project.own(package.name):
        return
    if package.is_direct:
        place = "version control" if package.vcs else "a path" if package.directory else "a URL"
        raise not_taken(path, package.name, place)
    if package.version is None:
        raise malformed(path, f"{package.name} has no version")
    files = [*(package.wheels or []), *([package.sdist] if package.sdist else [])]
    hashes = [f"{kind}:{value}" for file in files for kind, value in file.hashes.items()]
    add_pin(wanted, path, normal(package.name), str(package.version), hashes)
