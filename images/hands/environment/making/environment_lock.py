"""environment.lock: name==version with the hashes of its files, and nothing else."""

from __future__ import annotations

import re
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from environment.declared.logical_lines import logical_lines, without_comment
from environment.distributions import HASH, normal
from environment.problem import Problem, refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENTRY = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([A-Za-z0-9.!+_-]+)((?:\s+--hash=[a-z0-9:]+)+)")
HEADER = "# The complete environment: what tilth resolved, and installs again from these hashes.\n"


class LockedPackage(NamedTuple):
    version: str
    hashes: set[str]


if TYPE_CHECKING:
    # by name
    Packages = dict[str, LockedPackage]


def written(packages: Mapping[str, LockedPackage]) -> str:
    lines: list[str] = []
    for name, (version, hashes) in sorted(packages.items()):
        lines.append(" \\\n    ".join([f"{name}=={version}", *(f"--hash={one}" for one in sorted(hashes))]))
    return HEADER + "".join(f"{line}\n" for line in lines) if lines else ""


def parsed(text: str, path: str = "environment.lock") -> Packages:
    packages: Packages = {}
    for number, line in logical_lines(text):
        found = ENTRY.fullmatch(without_comment(line).strip())
        hashes = re.findall(r"--hash=(\S+)", found[3]) if found else []
        if not found or not all(map(HASH.fullmatch, hashes)) or not is_version(found[2]):
            raise malformed(f"{path} line {number}: {shown(line)}")
        name = normal(found[1])
        if name in packages:
            raise malformed(f"{path} line {number}: {name} stands there twice")
        packages[name] = LockedPackage(found[2], set(hashes))
    return packages


def is_version(text: str) -> bool:
    try:
        return bool(Version(text))
    except (InvalidVersion, ValueError):
        return False


def malformed(what: str) -> Problem:
    return refused(f"The lock is not one that tilth wrote: {what}", "Leave environment.lock as it was written.")
