"""Reads what requirements files ask for, and the files that they include."""

import posixpath
from collections import namedtuple

from environment.declared.lines import lines_of
from environment.places import normal
from environment.problem import refused, shown

Asked = namedtuple("Asked", "requirement where")
DEEPEST = 50
MOST = 10_000


class Wanted:
    """All that the environment is to hold, before anything is resolved."""

    def __init__(self):
        self.requirements, self.constraints, self.pins = [], [], {}
        self.hashes, self.unhashed = {}, []
        self.prereleases = False
        self.taken, self.said = [], []

    def add(self, found):
        self.requirements += found
        self.unhashed += found
        if len(self.requirements) > MOST:
            raise refused(f"The dependency files ask for more than {MOST} things.", "Name fewer in TILTH_DEPENDENCIES.")

    def hashed(self):
        """Whether every requirement has hashes, so that no other files may be taken."""
        return bool(self.hashes) and not self.unhashed

    def empty(self):
        return not self.requirements and not self.pins


class RequirementsFiles:
    def __init__(self, files, project, from_source):
        self.files, self.project, self.from_source = files, project, set(from_source)
        self.wanted, self.seen = Wanted(), set()

    def read(self, path, kind="requirement", depth=0):
        if (path, kind) in self.seen:
            return
        self.seen.add((path, kind))
        if depth > DEEPEST:
            raise refused(f"{path} is included through more than {DEEPEST} files.", "Include it more directly.")
        hashed, plain, must = [], [], False
        for line in lines_of(path, self.files.text(path)):
            if line.kind in ("include", "constraint"):
                within = kind if line.kind == "include" else "constraint"
                self.read(self.included(path, line), within, depth + 1)
            elif line.kind == "hashes":
                must = True
            elif line.kind == "requirement":
                (hashed if line.hashes else plain).append(line)
                self.take(line, kind)
            else:
                self.other(line, kind)
        if plain and (hashed or must):
            raise refused(
                f"{plain[0].where}: {plain[0].value.name} has no hash, and the file's other lines have."
                if hashed
                else f"{plain[0].where}: {plain[0].value.name} has no hash, and the file has --require-hashes.",
                "Give every line of the file a hash, or none.",
            )

    def take(self, line, kind):
        asked, name = Asked(line.value, line.where), normal(line.value.name)
        if self.project.own(name):
            if kind == "requirement":
                self.of_project(line._replace(value=sorted(line.value.extras)))
            return
        if line.hashes:
            self.wanted.hashes.setdefault(name, set()).update(line.hashes)
        if kind == "constraint":
            self.wanted.constraints.append(asked)
        elif line.hashes:
            self.wanted.requirements.append(asked)
        else:
            self.wanted.add([asked])

    def other(self, line, kind):
        if line.kind == "prereleases":
            self.wanted.prereleases = True
        elif line.kind == "source":
            self.refuse_source(line)
        elif line.kind == "project" and kind == "requirement":
            self.of_project(line)
        elif line.kind == "project":
            raise refused(f"{line.where}: the project itself cannot be a constraint.", "Leave the line out.")

    def of_project(self, line):
        project = self.project
        self.wanted.add(project.runtime())
        for name in line.value:
            self.wanted.add(project.extra(name, line.where))
        for path in project.dependency_files:
            self.read(self.included("", line._replace(value=path)))
        self.wanted.said += project.unread()

    def refuse_source(self, line):
        for name in line.value:
            if name == ":all:" or normal(name) not in self.from_source:
                raise refused(
                    f"{line.where}: {shown(name)} is to be built from source, and only wheels are taken.",
                    "Leave the line out."
                    if name == ":all:"
                    else f"Leave the line out, or allow it with TILTH_BUILD_FROM_SOURCE={shown(normal(name))}",
                )

    def included(self, path, line):
        if "://" in line.value:
            raise refused(f"{line.where}: URLs are not taken: {shown(line.value)}", "Include a file of the repository.")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(path), line.value))
        if posixpath.isabs(line.value) or found.startswith(".."):
            raise refused(
                f"{line.where}: {shown(line.value)} leads out of the repository.", "Include a file inside it."
            )
        if found not in self.files:
            raise refused(
                f"{line.where}: there is no file {shown(found)} in the repository.", "Add it, or leave it out."
            )
        return found
