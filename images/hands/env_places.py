"""Where things are in a container, and what the image's own Python and pytest are."""

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
    """What the image's pytest requires, for this Python."""
    wanted = [Requirement(line) for line in importlib.metadata.requires("pytest") or []]
    return {normal(one.name): one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})}


# What the judge imports: no project of these names can be judged by it.
JUDGE = {"pytest", "pygments", *needs_of_pytest()}
