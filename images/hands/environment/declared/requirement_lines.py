"""Reads the lines of a requirements file as pip reads them, and refuses some of them."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from packaging.requirements import InvalidRequirement, Requirement

from environment.declared.logical_lines import logical_lines
from environment.distributions import HASH
from environment.problem import Problem, refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:")
VERSION_CONTROL = re.compile(r"(git|hg|svn|bzr)(\+|@)")
PROJECT = re.compile(r"\./?(?:\[([A-Za-z0-9._,\s-]*)\])?")
INCLUDING = {"-r", "--requirement"}
CONSTRAINING = {"-c", "--constraint"}
EDITABLE = {"-e", "--editable"}
TRUST = {
    *["-i", "--index-url", "--extra-index-url", "--pypi-url", "-f", "--find-links", "--no-index", "--trusted-host"],
    *["--cert", "--client-cert", "--proxy"],
}
LONGEST = 200_000
INDEX_REMEDY = "Leave it out: tilth asks the package index of its own settings, and no other."
RELEASE_REMEDY = "Name a release that the package index has (name==version), or name other files in TILTH_DEPENDENCIES."


class RequirementLine(NamedTuple):
    requirement: Requirement
    hashes: list[str]
    where: str


class ProjectLine(NamedTuple):
    """The project itself, with these extras."""

    extras: list[str]
    where: str


class IncludeLine(NamedTuple):
    path: str
    as_constraints: bool
    where: str


class SourceLine(NamedTuple):
    """Distributions that are to be built from source."""

    names: list[str]
    where: str


class OptionLine(NamedTuple):
    """`option`: prereleases, hashes (every requirement must have some) or wheels."""

    option: str
    where: str


if TYPE_CHECKING:
    Line = RequirementLine | ProjectLine | IncludeLine | SourceLine | OptionLine


def lines_of(path: str, text: str) -> Iterator[Line]:
    for number, line in logical_lines(text):
        where = f"{path} line {number}"
        if len(line) > LONGEST:
            raise refused(f"{where} is longer than {LONGEST} characters.", "Split it.")
        if found := VARIABLE.search(line):
            raise refused(
                f"{where}: {found[0]} is an environment variable, and a requirements file is read without any.",
                "Write its value, or leave the line out.",
            )
        yield option(line, where) if line.startswith("-") else asked(line, where)


def option(line: str, where: str) -> Line:
    try:
        words = shlex.split(line)
    except ValueError:
        raise not_understood(line, where) from None
    name, equals, value = words[0].partition("=")
    values = [value, *words[1:]] if equals else words[1:]
    if not name.startswith("--") and len(name) > 2:
        name, values = name[:2], [words[0][2:], *words[1:]]
    if name in TRUST:
        raise refused(f"{where}: {name} names or trusts a package index, which a file cannot do.", INDEX_REMEDY)
    if len(values) == 1 and (found := with_value(name, values[0], where)):
        return found
    if name == "--pre" and not values:
        return OptionLine("prereleases", where)
    if name == "--require-hashes" and not values:
        return OptionLine("hashes", where)
    if name == "--prefer-binary" and not values:
        return OptionLine("wheels", where)  # only wheels are taken anyway
    raise not_understood(line, where)


def with_value(name: str, value: str, where: str) -> Line | None:
    if name in INCLUDING or name in CONSTRAINING:
        return IncludeLine(value, name in CONSTRAINING, where)
    if name in EDITABLE:
        return asked(value, where, editable=True)
    if name == "--only-binary":
        return OptionLine("wheels", where)
    if name == "--no-binary":
        return SourceLine([one for one in value.split(",") if one != ":none:"], where)
    return None


def not_understood(line: str, where: str) -> Problem:
    return refused(
        f"{where} is not understood: {shown(line)}",
        "Write it as name==version (extras, markers and hashes are fine), or name other files in TILTH_DEPENDENCIES.",
    )


def asked(line: str, where: str, editable: bool = False) -> RequirementLine | ProjectLine:
    words = line.split()
    at = next((index for index, word in enumerate(words) if word.startswith("-")), len(words))
    text, hashes = " ".join(words[:at]), hashes_of(words[at:], line, where)
    if found := PROJECT.fullmatch(text):
        return ProjectLine([name for name in re.split(r"[,\s]+", found[1] or "") if name], where)
    refuse_place(text, where)
    if editable:
        raise path_refused(text, where)
    return RequirementLine(requirement(text, where), hashes, where)


def hashes_of(words: Sequence[str], line: str, where: str) -> list[str]:
    found: list[str] = []
    rest = list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        value = value if equals else rest.pop(0) if rest else ""
        if name != "--hash" or not HASH.fullmatch(value):
            raise not_understood(line, where)
        found.append(value)
    return found


def requirement(text: str, where: str) -> Requirement:
    """A requirement that names a distribution and no place to get it from."""
    try:
        parsed = Requirement(text)
    except (InvalidRequirement, ValueError, RecursionError):
        raise not_understood(text, where) from None
    if parsed.url is not None:
        raise url_refused(parsed.url.strip(), where, parsed.name)
    return parsed


def refuse_place(text: str, where: str) -> None:
    if VERSION_CONTROL.match(text) or URL.match(text):
        raise url_refused(text, where)
    first = re.split(r"[\s;\[]", text, maxsplit=1)[0]
    if first.startswith((".", "/", "~")) or "/" in first or "\\" in first or first.endswith((".whl", ".zip", ".gz")):
        raise path_refused(text, where)


def url_refused(url: str, where: str, name: str = "") -> Problem:
    of = f" ({name})" if name else ""
    if VERSION_CONTROL.match(url):
        return refused(f"{where}{of}: references to version control are not taken: {shown(url)}", RELEASE_REMEDY)
    if url.startswith("file:"):
        return path_refused(url, f"{where}{of}")
    return refused(f"{where}{of}: URLs are not taken: {shown(url)}", RELEASE_REMEDY)


def path_refused(text: str, where: str) -> Problem:
    return refused(f"{where}: no path is taken but the project itself (.): {shown(text)}", RELEASE_REMEDY)
