"""Reads what uv.lock and pylock.toml pin for this Python, by name, version and hash."""

import re

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.pylock import Pylock, PylockSelectError, PylockValidationError
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

from environment.declared.lines import HASH
from environment.declared.project import CORRECT, GROUPS
from environment.places import PYTHON_VERSION, normal
from environment.problem import listed, refused, shown

PLACES = {"git": "version control", "url": "a URL", "path": "a path", "directory": "a path", "editable": "a path"}
# uv's marker for a conflicting extra or group that was asked for: extra-4-demo-cpu, group-4-demo-dev.
ASKED_FOR = re.compile(r"extra\s*(==|!=)\s*'(?:(extra|group)-\d+-([^']*)|[^']*)'")


def add_pin(wanted, path, name, version, hashes):
    hashes = {one for one in hashes if HASH.fullmatch(one)}
    if not hashes:
        raise refused(f"{path}: {shown(name)} has no hash there.", "Make the lock again with hashes.")
    if wanted.pins.get(name, version) != version:
        raise refused(f"{path}: {shown(name)} is pinned to two versions for this Python.", CORRECT)
    wanted.pins[name] = version
    wanted.hashes.setdefault(name, set()).update(hashes)


def not_taken(path, name, place):
    return refused(
        f"{path}: {shown(name)} comes from {place}, which is not taken.",
        "Require a release of it that a package index has, or name other files in TILTH_DEPENDENCIES.",
    )


def malformed(path, error):
    return refused(f"{path} is no lock that is understood: {shown(error)}.", CORRECT)


def pins_of_pylock(files, path, project, wanted):
    try:
        lock = Pylock.from_dict(files.toml(path))
        groups = {*(lock.default_groups or []), *(name for name in lock.dependency_groups or [] if name in GROUPS)}
        chosen = lock.select(extras=[name for name in lock.extras or [] if name in GROUPS], dependency_groups=groups)
        for package, source in chosen:
            of_pylock_package(path, package, source, project, wanted)
    except (PylockSelectError, PylockValidationError, InvalidVersion, ValueError, RecursionError) as error:
        raise malformed(path, error) from None
    wanted.taken.append(path)


def of_pylock_package(path, package, source, project, wanted):
    if project.own(package.name):
        return
    if package.is_direct:
        place = "version control" if package.vcs else "a path" if package.directory else "a URL"
        raise not_taken(path, package.name, place)
    if package.version is None:
        raise malformed(path, f"{package.name} has no version")
    files = [*(package.wheels or []), *([package.sdist] if package.sdist else [])]
    hashes = [f"{kind}:{value}" for file in files for kind, value in file.hashes.items()]
    add_pin(wanted, path, normal(package.name), str(package.version), hashes)


def pins_of_uv(files, path, project, wanted):
    document = files.toml(path)
    try:
        UvLock(path, document, wanted).walk(project)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError, InvalidMarker) as error:
        raise malformed(path, error) from None


class UvLock:
    """A graph of packages, of which those are taken that can be reached from the project's own."""

    def __init__(self, path, document, wanted):
        if document.get("version") != 1:
            raise ValueError(f"version {document.get('version')}")
        self.path, self.wanted, self.document = path, wanted, document
        self.packages, self.seen, self.asked_for = {}, set(), set()
        for package in document.get("package", []):
            self.packages.setdefault(normal(package["name"]), []).append(package)

    def walk(self, project):
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
            self.from_project()

    def from_project(self):
        name = normal(self.root["name"])
        tables = [
            ("group", self.root.get("dev-dependencies", {})),
            ("extra", self.root.get("optional-dependencies", {})),
        ]
        chosen = [(kind, one, table[one]) for kind, table in tables for one in GROUPS if one in table]
        self.asked_for = {(kind, f"{name}-{one}") for kind, one, _ in chosen}
        self.wanted.taken += [f"{self.path} [project]", *(f"{self.path} {kind} {one}" for kind, one, _ in chosen)]
        self.follow([*self.root.get("dependencies", []), *(edge for _, _, edges in chosen for edge in edges)])

    def without_project(self, manifest):
        groups = manifest.get("dependency-groups", {})
        chosen = [name for name in GROUPS if name in groups]
        self.wanted.taken += [self.path, *(f"{self.path} group {name}" for name in chosen)]
        self.follow([*manifest.get("requirements", []), *(edge for name in chosen for edge in groups[name])])

    def follow(self, edges):
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

    def taken(self, package):
        if package is self.root:
            return []
        source, name = package["source"], normal(package["name"])
        place = next((PLACES[kind] for kind in PLACES if kind in source), None)
        if place or "registry" not in source:
            raise not_taken(self.path, name, place or "a place that is not known")
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        add_pin(self.wanted, self.path, name, package["version"], [one["hash"] for one in files if "hash" in one])
        return package.get("dependencies", [])

    def package_of(self, edge):
        found = self.packages.get(normal(edge["name"]), [])
        found = [one for one in found if edge.get("version", one.get("version")) == one.get("version")]
        found = [one for one in found if edge.get("source", one["source"]) == one["source"]]
        here = [one for one in found if any(map(self.holds, one.get("resolution-markers", [None])))]
        if not found:
            raise ValueError(f"{edge['name']} is required and not in it")
        return (here or found)[0]

    def holds(self, text):
        if text is None:
            return True
        try:
            return Marker(ASKED_FOR.sub(self.known, text)).evaluate({"extra": ""})
        except (UndefinedComparison, UndefinedEnvironmentName):
            return False

    def known(self, found):
        positive, *asked_for = found.groups()
        asked = tuple(asked_for) in self.asked_for
        return f"python_version {'>' if asked == (positive == '==') else '<'} '0'"


def is_project(package):
    source = package.get("source", {})
    return "." in (source.get("editable"), source.get("virtual"), source.get("directory"))
