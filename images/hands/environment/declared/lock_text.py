"""environment.lock: name==version with the hashes of its files, and nothing else."""

import re

from packaging.version import InvalidVersion, Version

from environment.declared.lines import HASH, logical_lines, without_comment
from environment.places import normal
from environment.problem import refused, shown

ENTRY = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([A-Za-z0-9.!+_-]+)((?:\s+--hash=[a-z0-9:]+)+)")
HEADER = "# The complete environment: what tilth resolved, and installs again from these hashes.\n"


def written(packages):
    """The text of {name: (version, hashes)}."""
    lines = []
    for name, (version, hashes) in sorted(packages.items()):
        lines.append(" \\\n    ".join([f"{name}=={version}", *(f"--hash={one}" for one in sorted(hashes))]))
    return HEADER + "".join(f"{line}\n" for line in lines) if lines else ""


def parsed(text, path="environment.lock"):
    packages = {}
    for number, line in logical_lines(text):
        found = ENTRY.fullmatch(without_comment(line).strip())
        hashes = re.findall(r"--hash=(\S+)", found[3]) if found else []
        if not found or not all(map(HASH.fullmatch, hashes)) or not is_version(found[2]):
            raise malformed(f"{path} line {number}: {shown(line)}")
        name = normal(found[1])
        if name in packages:
            raise malformed(f"{path} line {number}: {name} stands there twice")
        packages[name] = (found[2], set(hashes))
    return packages


def is_version(text):
    try:
        return bool(Version(text))
    except (InvalidVersion, ValueError):
        return False


def malformed(what):
    return refused(f"The lock is not one that tilth wrote: {what}", "Leave environment.lock as it was written.")
