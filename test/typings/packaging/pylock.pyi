from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from packaging.version import Version

class PylockSelectError(Exception): ...
class PylockValidationError(Exception): ...

class _File:
    hashes: Mapping[str, str]

class Package:
    name: str
    version: Version | None
    vcs: object | None
    directory: object | None
    sdist: _File | None
    wheels: Sequence[_File] | None
    @property
    def is_direct(self) -> bool: ...

class Pylock:
    extras: Sequence[str] | None
    dependency_groups: Sequence[str] | None
    default_groups: Sequence[str] | None
    @classmethod
    def from_dict(cls, d: Mapping[str, Any], /) -> Pylock: ...
    def select(
        self, *, extras: Collection[str] | None = None, dependency_groups: Collection[str] | None = None
    ) -> Iterator[tuple[Package, object]]: ...
