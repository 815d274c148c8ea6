"""Wheels that a person allowed to be built from source: made in one container, and installed in another as bytes."""

from __future__ import annotations

import base64
import hashlib
import os
import re

from environment.distributions import normal
from environment.making.environment_lock import LockedPackage, written
from environment.problem import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

NAME = re.compile(r"[A-Za-z0-9._+!-]+\.whl")
MOST_BYTES = 40 * 1024 * 1024


def built_in(cache: str, wanted: Collection[str]) -> dict[str, str]:
    """{file name: base64} of the wheels that uv built for the wanted distributions."""
    found: dict[str, str] = {}
    size = 0
    for folder, _, files in os.walk(cache):
        for name in files:
            if NAME.fullmatch(name) and distribution_of(name) in wanted:
                with open(os.path.join(folder, name), "rb") as file:
                    content = file.read(MOST_BYTES + 1)
                size += len(content)
                if size > MOST_BYTES:
                    raise refused(
                        "What was built from source is larger than 40 MB.", "Put such packages into an image."
                    )
                found[name] = base64.b64encode(content).decode()
    return found


class BuiltWheels:
    """Wheels that came along with the order, in a folder of their own."""

    def __init__(self, wheels: Mapping[str, str], allowed: Collection[str], folder: str) -> None:
        self.folder = folder
        # by distribution
        self.hashes: dict[str, set[str]] = {}
        os.makedirs(folder, exist_ok=True)
        for name, encoded in wheels.items():
            content = base64.b64decode(encoded)
            owner = distribution_of(name)
            if NAME.fullmatch(name) and owner in allowed:
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
                self.hashes.setdefault(owner, set()).add(f"sha256:{hashlib.sha256(content).hexdigest()}")

    def options(self) -> list[str]:
        return ["--find-links", self.folder] if self.hashes else []

    def lock(self, packages: Mapping[str, LockedPackage]) -> str:
        """The lock as it is written, except that a wheel that came along is known by its own hash."""
        known = self.hashes
        return written({name: one._replace(hashes=known.get(name, one.hashes)) for name, one in packages.items()})


def distribution_of(name: str) -> str:
    return normal(name.partition("-")[0])
