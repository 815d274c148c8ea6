"""Names, versions and hashes of distributions: how names compare, and which Python and pytest the image itself has."""

from __future__ import annotations

import importlib.metadata
import platform
import re

from packaging.requirements import Requirement
from packaging.version import Version

PYTHON_VERSION = platform.python_version()
PYTEST_VERSION = importlib.metadata.version("pytest")
OLDEST_PYTEST = "7.4"
OLDEST_PLUGGY = "1.2"
HASH = re.compile(r"sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pytest_range(version: str) -> bool:
    return Version(OLDEST_PYTEST) <= Version(version) <= Version(PYTEST_VERSION)


def needs_of_pytest() -> dict[str, Requirement]:
    """The requirements of the image's pytest, for this Python."""
    wanted = [Requirement(line) for line in importlib.metadata.requires("pytest") or []]
    return {normal(one.name): one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})}


# The judge imports these, so it cannot judge a project of such a name.
JUDGE = {"pytest", "pygments", *needs_of_pytest()}
