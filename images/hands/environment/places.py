"""Paths in a container, and the versions of the image's own Python and pytest."""

import importlib.metadata
import os
import platform
import re
import sys

from packaging.requirements import Requirement
from packaging.version import Version

ENVIRONMENT = "/opt/tilth/env"
WORKSPACE = "/workspace"
IMAGE = "/opt/tilth/venv"
UV = f"{IMAGE}/bin/uv"
PYTHON = os.path.realpath("/opt/tilth/python")

LIBRARY = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}"
PACKAGES = f"{LIBRARY}/site-packages"
SITE = f"{ENVIRONMENT}/{PACKAGES}"
IMAGE_SITE = f"{IMAGE}/{PACKAGES}"
MANIFEST = f"{ENVIRONMENT}/tilth.json"

PYTHON_VERSION = platform.python_version()
PYTEST_VERSION = importlib.metadata.version("pytest")
OLDEST_PYTEST = "7.4"
OLDEST_PLUGGY = "1.2"


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pytest_range(version):
    return Version(OLDEST_PYTEST) <= Version(version) <= Version(PYTEST_VERSION)


def needs_of_pytest():
    """The requirements of the image's pytest, for this Python."""
    wanted = [Requirement(line) for line in importlib.metadata.requires("pytest") or []]
    return {normal(one.name): one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})}


# The judge imports these, so it cannot judge a project of such a name.
JUDGE = {"pytest", "pygments", *needs_of_pytest()}
