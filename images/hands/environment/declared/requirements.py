"""Requirements with the places they stand at, and all of them that an environment is to satisfy."""

from __future__ import annotations

from typing import NamedTuple

from packaging.requirements import Requirement

from environment.problem import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 10_000


class LocatedRequirement(NamedTuple):
    requirement: Requirement
    where: str


class Requirements:
    """All that the environment is to hold, before anything is resolved."""

    def __init__(self) -> None:
        self.requirements: list[LocatedRequirement] = []
        self.constraints: list[LocatedRequirement] = []
        self.pins: dict[str, str] = {}
        self.hashes: dict[str, set[str]] = {}
        self.unhashed: list[LocatedRequirement] = []
        self.prereleases = False
        self.taken: list[str] = []
        self.said: list[str] = []

    def add(self, found: Sequence[LocatedRequirement]) -> None:
        self.requirements += found
        self.unhashed += found
        if len(self.requirements) > MOST:
            raise refused(f"The dependency files ask for more than {MOST} things.", "Name fewer in TILTH_DEPENDENCIES.")

    def hashed(self) -> bool:
        """Whether every requirement has hashes, so that no other files may be taken."""
        return bool(self.hashes) and not self.unhashed

    def empty(self) -> bool:
        return not self.requirements and not self.pins
