"""Says what this image holds, as one line of JSON: for the label of a new image, and for `tilth image verify`."""

from __future__ import annotations

import base64
import csv
import glob
import hashlib
import importlib.machinery
import importlib.util
import json
import marshal
import os
import platform
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from types import CodeType

HOME = "/opt/tilth"
HEADER = 16  # bytes before the code in a compiled file
NOT_PROGRAMS = (f"{HOME}/venv", f"{HOME}/env")
PACKAGES = ("check", "environment", "oneshot", "resident")


def digest(path: str) -> bytes:
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256") if hasattr(hashlib, "file_digest") else hashlib.sha256(file.read())
        return found.digest()


def version_of(*command: str) -> str:
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
    return next(word for word in said.split() if word[0].isdigit())


def altered_files(info: str) -> Iterator[str]:
    """Files of one installed package whose bytes are not those its wheel brought."""
    site = os.path.dirname(info)
    with open(os.path.join(info, "RECORD"), newline="") as record:
        for name, hashed, _ in csv.reader(record):
            kind, _, expected = hashed.partition("=")
            if kind != "sha256":
                continue
            path = os.path.normpath(os.path.join(site, name))
            if not os.path.exists(path):
                yield path
            elif base64.urlsafe_b64encode(digest(path)).decode().rstrip("=") != expected:
                yield path


def program_files() -> Iterator[str]:
    """Every file in the folders of the programs; a folder that is a link counts as a file, for nobody looks into it."""
    for folder, folders, names in os.walk(HOME):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(
            name for name in folders if name != "__pycache__" and os.path.join(folder, name) not in NOT_PROGRAMS
        )
        for name in sorted([*names, *links]):
            yield os.path.join(folder, name)


def stand_ins(paths: Collection[str]) -> Iterator[str]:
    """Files and links that Python would import in place of a program: compiled without a source, or a library."""
    for path in paths:
        is_compiled = path.endswith(".pyc") and path[:-1] not in paths
        if is_compiled or path.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)) or os.path.isdir(path):
            yield path
    for name in PACKAGES:
        found = importlib.machinery.PathFinder.find_spec(name, [*sys.path, HOME])
        if found is None or found.origin != f"{HOME}/{name}/__init__.py":
            yield f"{name} ({found and found.origin})"


def altered_compiled(sources: Iterable[str]) -> Iterator[str]:
    """Compiled programs that are not what their source says: Python runs them without a look at it."""
    for source in sources:
        with open(source, "rb") as file:
            code = compile(file.read(), source, "exec", dont_inherit=True)
        for path in filter(os.path.exists, (importlib.util.cache_from_source(source), f"{source}c")):
            with open(path, "rb") as file:
                if not holds(file.read(), code):
                    yield path


def holds(compiled: bytes, code: CodeType) -> bool:
    try:
        return compiled.startswith(importlib.util.MAGIC_NUMBER) and marshal.loads(compiled[HEADER:]) == code
    except (EOFError, ValueError, TypeError):
        return False


def main() -> None:
    paths = list(program_files())
    sources = [path for path in paths if path.endswith(".py")]
    packages: dict[str, str] = {}
    altered = [*stand_ins(paths), *altered_compiled(sources)]
    for info in sorted(glob.glob(f"{HOME}/venv/lib/python3*/site-packages/*.dist-info")):
        name, _, version = os.path.basename(info).removesuffix(".dist-info").partition("-")
        packages[name.lower().replace("_", "-")] = version
        altered += altered_files(info)
    venv = f"{HOME}/venv/bin"
    print(
        json.dumps(
            {
                "tools": [
                    f"Python {platform.python_version()}",
                    f"pytest {packages['pytest']}",
                    f"ruff {version_of(f'{venv}/ruff')}",
                    f"uv {version_of(f'{venv}/uv')}",
                    f"git {version_of('git')}",
                    f"ripgrep {version_of('rg')}",
                ],
                "packages": packages,
                "altered": altered,
                "files": {
                    os.path.relpath(path, HOME): digest(path).hex() for path in [*sources, f"{HOME}/requirements.lock"]
                },
            }
        )
    )


main()
