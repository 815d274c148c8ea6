"""Takes the versions and hashes that a lock of the project pins."""

from __future__ import annotations

from environment.declared.project import CORRECT
from environment.distributions import HASH
from environment.problem import Problem, refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from environment.declared.requirements import Requirements


def add_pin(wanted: Requirements, path: str, name: str, version: str, hashes: Iterable[str]) -> None:
    hashes = {one for one in hashes if HASH.fullmatch(one)}
    if not hashes:
        raise refused(f"{path}: {shown(name)} has no hash there.", "Make the lock again with hashes.")
    if wanted.pins.get(name, version) != version:
        raise refused(f"{path}: {shown(name)} is pinned to two versions for this Python.", CORRECT)
    wanted.pins[name] = version
    wanted.hashes.setdefault(name, set()).update(hashes)


def not_taken(path: str, name: str, place: str) -> Problem:
    return refused(
        f"{path}: {shown(name)} comes from {place}, which is not taken.",
        "Require a release of it that a package index has, or name other files in TILTH_DEPENDENCIES.",
    )


def malformed(path: str, error: object) -> Problem:
    return refused(f"{path} is no lock that is understood: {shown(error)}.", CORRECT)
