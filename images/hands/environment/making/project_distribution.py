"""Writes the distribution that stands for the project itself in its environment: its metadata, its commands, and the path
to its code."""

from __future__ import annotations

import email.parser
import os
import posixpath
import re

from packaging.version import InvalidVersion, Version

from environment.declared.documents import is_table
from environment.distributions import normal
from environment.making.virtual_environment import INTERPRETER, script
from environment.places import ENVIRONMENT, IMAGE_SITE, SITE
from environment.problem import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from packaging.requirements import Requirement

    from environment.declared.files import Files
    from environment.declared.project import Project

    # by group and name
    EntryPoints = dict[str, dict[str, str]]

DOTTED = r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
REFERENCE = re.compile(rf"{DOTTED}(?:\s*:\s*{DOTTED})?(?:\s*\[[\w\s,.-]*\])?")
SCRIPT_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
ENTRY_NAME = re.compile(r"[^\s=\[\]#;][^=\n\r]*")
GROUP = re.compile(r"\w+(?:\.\w+)*")
UNKNOWN_VERSION = "0.0.0"


def version_of(project: Project, files: Files, tagged: str | None) -> tuple[str, str | None]:
    """The project's version, and its origin unless that is a static field."""
    candidates = [(project.version, None), (from_pkg_info(project, files), "PKG-INFO"), (tagged, "the nearest tag")]
    for text, origin in candidates:
        try:
            if text is not None:
                return str(Version(text)), origin
        except (InvalidVersion, ValueError):
            continue
    return UNKNOWN_VERSION, "nothing that could be read"


def from_pkg_info(project: Project, files: Files) -> str | None:
    for path in files:
        if posixpath.basename(path) == "PKG-INFO":
            said = email.parser.HeaderParser().parsestr(files.text_or_nothing(path))
            if project.own(str(said["Name"] or "").strip() or "-"):
                return str(said["Version"] or "")
    return None


def write_path_file(roots: Iterable[str], with_image: bool) -> None:
    with open(f"{SITE}/tilth.pth", "w", encoding="utf-8") as file:
        file.writelines(f"{path}\n" for path in [*roots, *([IMAGE_SITE] if with_image else [])])


def write_metadata(project: Project, name: str, version: str) -> list[str]:
    """Returns what to say of entry points that are left out."""
    stem = re.sub(r"[-_.]+", "_", name)
    folder = f"{stem}-{version.replace('-', '_')}.dist-info"
    os.mkdir(f"{SITE}/{folder}")
    groups, left_out = sound(project.entry_points)
    contents = {"METADATA": metadata(project, name, version), "INSTALLER": "tilth\n"}
    if groups:
        contents["entry_points.txt"] = entry_points(groups)
    scripts = {**groups.get("gui_scripts", {}), **groups.get("console_scripts", {})}
    recorded = [f"{folder}/{file}" for file in [*contents, "RECORD"]]
    for command, reference in sorted(scripts.items()):
        if found := REFERENCE.fullmatch(reference):
            script(command, found[1], found[2])
            recorded.append(os.path.relpath(f"{ENVIRONMENT}/bin/{command}", SITE))
    contents["RECORD"] = "".join(f"{path},,\n" for path in sorted(recorded))
    for file, content in contents.items():
        with open(f"{SITE}/{folder}/{file}", "w", encoding="utf-8") as written:
            written.write(content)
    return [f"The project's entry point {shown(one)} is left out: it is no module:function." for one in left_out]


def metadata(project: Project, name: str, version: str) -> str:
    lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}"]
    lines += [f"{header}: {text}" for header, text in project.about]
    if project.requires_python is not None and str(project.requires_python):
        lines.append(f"Requires-Python: {project.requires_python}")
    lines += [f"Requires-Dist: {one}" for one in project.dependencies.stated()] if project.dependencies else []
    for extra, found in sorted(project.extras.items()):
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {for_extra(one, extra)}" for one in found.stated()]
    return "\n".join(lines) + "\n"


def for_extra(requirement: Requirement, extra: str) -> str:
    text, condition = str(requirement), f'extra == "{extra}"'
    if requirement.marker is None:
        return f"{text}; {condition}"
    bare, _, marker = text.partition(";")
    return f"{bare.strip()}; ({marker.strip()}) and {condition}"


def sound(groups: Mapping[str, object]) -> tuple[EntryPoints, list[str]]:
    """The entry points that can be written down, and those that cannot."""
    kept: EntryPoints = {}
    left_out: list[str] = []
    for group, entries in groups.items():
        for name, reference in entries.items() if is_table(entries) else ():
            command = group in ("console_scripts", "gui_scripts")
            if not GROUP.fullmatch(group) or not fits(name, reference, command):
                left_out.append(f"{group} {name}")
            else:
                kept.setdefault(group, {})[name] = reference
    return kept, left_out


def fits(name: str, reference: object, command: bool) -> bool:
    found = REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
    if not found or not ENTRY_NAME.fullmatch(name) or not name.isprintable():
        return False
    return not command or bool(found[2] and SCRIPT_NAME.fullmatch(name) and not INTERPRETER.fullmatch(name))


def entry_points(groups: EntryPoints) -> str:
    parts: list[str] = []
    for group, entries in sorted(groups.items()):
        parts.append(f"[{group}]\n" + "".join(f"{name} = {reference}\n" for name, reference in sorted(entries.items())))
    return "\n".join(parts)


def mentions_of(project: Project) -> list[str]:
    """The distributions of the environment that require the project itself."""
    if project.name is None:
        return []
    found: list[str] = []
    own = normal(project.name)
    for info in sorted(os.listdir(SITE)):
        path = f"{SITE}/{info}/METADATA"
        if info.endswith(".dist-info") and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                head = file.read(1_000_000).split("\n\n", 1)[0]
            names = re.findall(r"^Requires-Dist:\s*([A-Za-z0-9._-]+)(?![^;\n]*;[^\n]*\bextra\s*==)", head, re.MULTILINE)
            if own in map(normal, names):
                found.append(info.partition("-")[0].replace("_", "-"))
    return found
