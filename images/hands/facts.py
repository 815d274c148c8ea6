"""Says what this image holds, as one line of JSON: for the label of a new image, and for `tilth image verify`."""

import base64
import csv
import glob
import hashlib
import importlib.util
import json
import marshal
import os
import platform
import subprocess

HOME = "/opt/tilth"
HEADER = 16  # bytes before the code in a compiled file
NOT_PROGRAMS = (f"{HOME}/venv", f"{HOME}/env")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256") if hasattr(hashlib, "file_digest") else hashlib.sha256(file.read())


def version_of(*command):
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
    return next(word for word in said.split() if word[0].isdigit())


def altered_files(info):
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
            elif base64.urlsafe_b64encode(digest(path).digest()).decode().rstrip("=") != expected:
                yield path


def program_files():
    for folder, folders, names in os.walk(HOME):
        folders[:] = sorted(
            name for name in folders if name != "__pycache__" and os.path.join(folder, name) not in NOT_PROGRAMS
        )
        for name in sorted(names):
            yield os.path.join(folder, name)


def altered_compiled(sources):
    """Compiled programs that are not what their source says: Python runs them without a look at it."""
    for source in sources:
        with open(source, "rb") as file:
            code = compile(file.read(), source, "exec", dont_inherit=True)
        for path in filter(os.path.exists, (importlib.util.cache_from_source(source), f"{source}c")):
            with open(path, "rb") as file:
                if not holds(file.read(), code):
                    yield path


def holds(compiled, code):
    try:
        return compiled.startswith(importlib.util.MAGIC_NUMBER) and marshal.loads(compiled[HEADER:]) == code
    except (EOFError, ValueError, TypeError):
        return False


def main():
    sources = [path for path in program_files() if path.endswith(".py")]
    packages, altered = {}, [*altered_compiled(sources)]
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
                    os.path.relpath(path, HOME): digest(path).hexdigest()
                    for path in [*sources, f"{HOME}/requirements.lock"]
                },
            }
        )
    )


main()
