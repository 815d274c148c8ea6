"""Reads what uv.lock pins for this Python, by name, version and hash."""

from __future__ import annotations

import re

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.specifiers import SpecifierSet

from environment.declared.pins import add_pin, malformed, not_taken
from environment.declared.project import GROUPS
from environment.distributions import PYTHON_VERSION, normal
from environment.problem import listed, refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from environment.declared.files import Files
    from environment.declared.requirements import Requirements

    # [[package]], and a dependency of one
    Package = dict[str, Any]
    Edge = dict[str, Any]

PLACES = {"git": "version control", "url": "a URL", "path": "a path", "directory": "a path", "editable": "a path"}
# uv's marker for a conflicting extra or group that was asked for: extra-4-demo-cpu, group-4-demo-dev.
ASKED_FOR = re.compile(r"extra\s*(==|!=)\s*'(?:(extra|group)-\d+-([^']*)|[^']*)'")


def pins_of_uv(files: Files, path: str, wanted: Requirements) -> None:
    document = files.toml(path)
    try:
        UvLock(path, document, wanted).walk()
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError, InvalidMarker) as error:
        raise malformed(path, error) from None


class UvLock:
    """A graph of packages, of which those are taken that can be reached from the project's own."""

    def __init__(self, path: str, document: dict[str, Any], wanted: Requirements) -> None:
        if document.get("version") != 1:
            raise ValueError(f"version {document.get('version')}")
        self.path, self.wanted, self.document = path, wanted, document
        self.packages: dict[str, list[Package]] = {}
        self.root: Package | None = None
        # identity of a package, and the extra of it
        self.seen: set[tuple[int, str]] = set()
        # "extra" or "group", and its name behind that of the project
        self.asked_for: set[tuple[str, str]] = set()
        for package in document.get("package", []):
            self.packages.setdefault(normal(package["name"]), []).append(package)

    def walk(self) -> None:
        requires = self.document.get("requires-python")
        if requires and PYTHON_VERSION not in SpecifierSet(requires):
            raise refused(
                f"{self.path} requires Python {requires}, and the image has {PYTHON_VERSION}.",
                "Make an image with such a Python: tilth image build --base NAME@sha256:…",
            )
        manifest = self.document.get("manifest", {})
        members = manifest.get("members", [])
        if len(members) > 1:
            raise refused(
                f"{self.path} is of a workspace with several projects ({shown(listed(members))}), which is not taken.",
                "Name requirements files in TILTH_DEPENDENCIES, for example one made with `uv export`.",
            )
        self.root = next((one for found in self.packages.values() for one in found if is_project(one)), None)
        if self.root is None:
            self.without_project(manifest)
        else:
            self.from_project(self.root)

    def from_project(self, root: Package) -> None:
        name = normal(root["name"])
        tables: list[tuple[str, dict[str, list[Edge]]]] = [
            ("group", root.get("dev-dependencies", {})),
            ("extra", root.get("optional-dependencies", {})),
        ]
        chosen = [(kind, one, table[one]) for kind, table in tables for one in GROUPS if one in table]
        self.asked_for = {(kind, f"{name}-{one}") for kind, one, _ in chosen}
        self.wanted.taken += [f"{self.path} [project]", *(f"{self.path} {kind} {one}" for kind, one, _ in chosen)]
        self.follow([*root.get("dependencies", []), *(edge for _, _, edges in chosen for edge in edges)])

    def without_project(self, manifest: dict[str, Any]) -> None:
        groups = manifest.get("dependency-groups", {})
        chosen = [name for name in GROUPS if name in groups]
        self.wanted.taken += [self.path, *(f"{self.path} group {name}" for name in chosen)]
        self.follow([*manifest.get("requirements", []), *(edge for name in chosen for edge in groups[name])])

    def follow(self, edges: Iterable[Edge]) -> None:
        waiting = list(edges)
        while waiting:
            edge = waiting.pop()
            if not self.holds(edge.get("marker")):
                continue
            package = self.package_of(edge)
            for extra in ["", *edge.get("extra", edge.get("extras", []))]:
                if (id(package), extra) not in self.seen:
                    self.seen.add((id(package), extra))
                    table = package.get("optional-dependencies", {})
                    waiting += table.get(extra, []) if extra else self.taken(package)

    def taken(self, package: Package) -> list[Edge]:
        """Pins a package and returns its dependencies."""
        if package is self.root:
            return []
        source, name = package["source"], normal(package["name"])
        place = next((PLACES[kind] for kind in PLACES if kind in source), None)
        if place or "registry" not in source:
            raise not_taken(self.path, name, place or "a place that is not known")
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        add_pin(self.wanted, self.path, name, package["version"], [one["hash"] for one in files if "hash" in one])
        return package.get("dependencies", [])

    def package_of(self, edge: Edge) -> Package:
        found = self.packages.get(normal(edge["name"]), [])
        found = [one for one in found if edge.get("version", one.get("version")) == one.get("version")]
        found = [one for one in found if edge.get("source", one["source"]) == one["source"]]
        here = [one for one in found if any(map(self.holds, one.get("resolution-markers", [None])))]
        if not found:
            raise ValueError(f"{edge['name']} is required and not in it")
        return (here or found)[0]

    def holds(self, text: str | None) -> bool:
        if text is None:
            return True
        try:
            return Marker(ASKED_FOR.sub(self.known, text)).evaluate({"extra": ""})
        except (UndefinedComparison, UndefinedEnvironmentName):
            return False

    def known(self, found: re.Match[str]) -> str:
        positive, *asked_for = found.groups()
        asked = tuple(asked_for) in self.asked_for
        return f"python_version {'>' if asked == (positive == '==') else '<'} '0'"


def is_project(package: Package) -> bool:
    source = package.get("source", {})
    return "." in (source.get("editable"), source.get("virtual"), source.get("directory"))
