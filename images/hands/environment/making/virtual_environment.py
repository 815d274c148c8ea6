"""Makes a virtual environment without packages, and the commands in it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import sys

from environment.distributions import PYTHON_VERSION
from environment.places import ENVIRONMENT, PYTHON, SITE

LINKS = ("python", "python3", f"python3.{sys.version_info[1]}")
# Names by which a file beside the interpreter takes its place or tells it where to look.
INTERPRETER = re.compile(r"python(?:\d+(?:\.\d+)*)?t?|pyvenv\.cfg|pybuilddir\.txt|.*\._pth")
SCRIPT = """#!{python}
import sys
from {module} import {name}
if __name__ == "__main__":
    sys.exit({called}())
"""


def emptied() -> None:
    for entry in os.scandir(ENVIRONMENT):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def bare() -> None:
    """A virtual environment without anything in it, for the image's Python."""
    os.makedirs(SITE)
    os.makedirs(f"{ENVIRONMENT}/bin")
    if sys.platlibdir == "lib64":
        os.symlink("lib", f"{ENVIRONMENT}/lib64")
    for name in LINKS:
        os.symlink(PYTHON, f"{ENVIRONMENT}/bin/{name}")
    with open(f"{ENVIRONMENT}/pyvenv.cfg", "w", encoding="utf-8") as file:
        file.write(configuration())


def configuration() -> str:
    home = os.path.dirname(PYTHON)
    return f"home = {home}\ninclude-system-site-packages = false\nversion = {PYTHON_VERSION}\n"


def script(name: str, module: str, function: str) -> None:
    path = f"{ENVIRONMENT}/bin/{name}"
    if os.path.lexists(path):
        os.unlink(path)
    with open(path, "w", encoding="utf-8") as file:
        first = function.partition(".")[0]
        file.write(SCRIPT.format(python=f"{ENVIRONMENT}/bin/python", module=module, name=first, called=function))
    os.chmod(path, 0o755)


def pytest_of_image() -> None:
    own = importlib.metadata.distribution("pytest").entry_points
    for entry in own.select(group="console_scripts"):
        script(entry.name, entry.module, entry.attr)
