"""Reads the lines of a requirements file as pip reads them, and refuses some of them."""

import re
import shlex
from collections import namedtuple

from packaging.requirements import InvalidRequirement, Requirement

from environment.problem import refused, shown

# kind: requirement, include, constraint, project, prereleases, hashes, wheels, source
Line = namedtuple("Line", "kind value hashes where")

HASH = re.compile(r"sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}")
VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:")
VERSION_CONTROL = re.compile(r"(git|hg|svn|bzr)(\+|@)")
PROJECT = re.compile(r"\./?(?:\[([A-Za-z0-9._,\s-]*)\])?")
TAKES = {"-r": "include", "--requirement": "include", "-c": "constraint", "--constraint": "constraint"}
EDITABLE = {"-e", "--editable"}
TRUST = {
    *["-i", "--index-url", "--extra-index-url", "--pypi-url", "-f", "--find-links", "--no-index", "--trusted-host"],
    *["--cert", "--client-cert", "--proxy"],
}
LONGEST = 200_000
INDEX_REMEDY = "Leave it out: tilth asks the package index of its own settings, and no other."
RELEASE_REMEDY = "Name a release that the package index has (name==version), or name other files in TILTH_DEPENDENCIES."


def logical_lines(text):
    """Number and text of each line, continued lines joined, comments and blank lines left out."""
    number, parts = 0, []
    for at, line in enumerate(text.splitlines(), 1):
        comment = line.lstrip().startswith("#")
        if not parts:
            number = at
        if line.endswith("\\") and not comment:
            parts.append(line[:-1])
            continue
        parts.append(f" {line}" if comment else line)
        yield from meant(number, "".join(parts))
        parts = []
    yield from meant(number, "".join(parts))


def meant(number, line):
    if plain := without_comment(line).strip():
        yield number, plain


def without_comment(line):
    at = line.find("#")
    while at > 0 and not line[at - 1].isspace():
        at = line.find("#", at + 1)
    return line if at < 0 else line[:at]


def lines_of(path, text):
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


def option(line, where):
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
    if name in TAKES and len(values) == 1:
        return Line(TAKES[name], values[0], [], where)
    if name in EDITABLE and len(values) == 1:
        return asked(values[0], where, editable=True)
    if name == "--pre" and not values:
        return Line("prereleases", None, [], where)
    if name == "--require-hashes" and not values:
        return Line("hashes", None, [], where)
    if name == "--prefer-binary" and not values or name == "--only-binary" and len(values) == 1:
        return Line("wheels", None, [], where)  # only wheels are taken anyway
    if name == "--no-binary" and len(values) == 1:
        return Line("source", [one for one in values[0].split(",") if one != ":none:"], [], where)
    raise not_understood(line, where)


def not_understood(line, where):
    return refused(
        f"{where} is not understood: {shown(line)}",
        "Write it as name==version (extras, markers and hashes are fine), or name other files in TILTH_DEPENDENCIES.",
    )


def asked(line, where, editable=False):
    words = line.split()
    at = next((index for index, word in enumerate(words) if word.startswith("-")), len(words))
    text, hashes = " ".join(words[:at]), hashes_of(words[at:], line, where)
    if found := PROJECT.fullmatch(text):
        extras = [name for name in re.split(r"[,\s]+", found[1] or "") if name]
        return Line("project", extras, [], where)
    refuse_place(text, where)
    if editable:
        raise path_refused(text, where)
    return Line("requirement", requirement(text, where), hashes, where)


def hashes_of(words, line, where):
    found, rest = [], list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        value = value if equals else rest.pop(0) if rest else ""
        if name != "--hash" or not HASH.fullmatch(value):
            raise not_understood(line, where)
        found.append(value)
    return found


def requirement(text, where):
    """A requirement that names a distribution and no place to get it from."""
    try:
        parsed = Requirement(text)
    except (InvalidRequirement, ValueError, RecursionError):
        raise not_understood(text, where) from None
    if parsed.url is not None:
        raise url_refused(parsed.url.strip(), where, parsed.name)
    return parsed


def refuse_place(text, where):
    if VERSION_CONTROL.match(text) or URL.match(text):
        raise url_refused(text, where)
    first = re.split(r"[\s;\[]", text, maxsplit=1)[0]
    if first.startswith((".", "/", "~")) or "/" in first or "\\" in first or first.endswith((".whl", ".zip", ".gz")):
        raise path_refused(text, where)


def url_refused(url, where, name=""):
    of = f" ({name})" if name else ""
    if VERSION_CONTROL.match(url):
        return refused(f"{where}{of}: references to version control are not taken: {shown(url)}", RELEASE_REMEDY)
    if url.startswith("file:"):
        return path_refused(url, f"{where}{of}")
    return refused(f"{where}{of}: URLs are not taken: {shown(url)}", RELEASE_REMEDY)


def path_refused(text, where):
    return refused(f"{where}: no path is taken but the project itself (.): {shown(text)}", RELEASE_REMEDY)
