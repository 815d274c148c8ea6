"""Leaves out of an environment what Python runs of its own accord when it starts, whoever brings it."""

from __future__ import annotations

import os
import re
import shutil

from environment.distributions import normal
from environment.places import ENVIRONMENT, SITE
from environment.problem import listed, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CUSTOMIZE = {"sitecustomize", "usercustomize"}
PLAIN_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./ -]*")


def without_startup_code() -> list[str]:
    """Removes start-up code and returns a sentence for each distribution that brings some."""
    removed: list[str] = []
    folders = [SITE]
    for name in sorted(os.listdir(SITE)):
        if name.endswith((".pth", ".start")):
            paths = paths_in(name)
            if paths is None:
                removed.append(f"{SITE}/{name}")
            else:
                folders += paths
    for folder in folders:
        if os.path.isdir(folder):
            found = sorted(name for name in os.listdir(folder) if name.partition(".")[0].lower() in CUSTOMIZE)
            removed += [os.path.join(folder, name) for name in found]
    owners = owners_of(removed)
    for path in removed:
        (shutil.rmtree if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)
    return sentences(removed, owners)


def paths_in(name: str) -> list[str] | None:
    """The folders that a .pth adds to the path; None where it could do anything else."""
    with open(f"{SITE}/{name}", "rb") as file:
        content = file.read(100_000)
    if not content.isascii() or len(content) == 100_000 or name.endswith(".start") or normal(name).startswith("tilth"):
        return None
    lines = [line.strip() for line in content.decode("ascii").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if any(line.startswith("import") or ".." in line or not PLAIN_PATH.fullmatch(line) for line in lines):
        return None
    return [f"{SITE}/{line}" for line in lines]


def sentences(removed: Iterable[str], owners: Mapping[str, str]) -> list[str]:
    brought: dict[str, list[str]] = {}
    for path in sorted(removed):
        brought.setdefault(owners.get(path, "a package"), []).append(shown(os.path.relpath(path, SITE)))
    return [
        f"{name} brings start-up code ({listed(paths)}), which is left out." for name, paths in sorted(brought.items())
    ]


def owners_of(paths: Iterable[str]) -> dict[str, str]:
    """The distribution that brought each file, told from its record."""
    found: dict[str, str] = {}
    wanted = {os.path.relpath(path, SITE): path for path in paths}
    for info in sorted(os.listdir(SITE)) if wanted else []:
        record = f"{SITE}/{info}/RECORD"
        if not info.endswith(".dist-info") or not os.path.isfile(record):
            continue
        with open(record, encoding="utf-8", errors="replace") as file:
            recorded = [line.rpartition(",")[0].rpartition(",")[0] for line in file]
        for name, path in wanted.items():
            if any(one == name or one.startswith(f"{name}/") for one in recorded):
                found[path] = info.partition("-")[0].replace("_", "-")
    return found


def leave_no_empty_folders() -> None:
    for folder, _, _ in os.walk(ENVIRONMENT, topdown=False):
        if folder not in (ENVIRONMENT, SITE) and not os.listdir(folder):
            os.rmdir(folder)
