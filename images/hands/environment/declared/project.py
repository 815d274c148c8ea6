"""A project as it describes itself: its name, its requirements, its extras and groups."""

import posixpath

from packaging.requirements import InvalidRequirement, Requirement

from environment.declared.lines import refuse_place, requirement
from environment.declared.requirements import MOST, Asked
from environment.places import normal
from environment.problem import refused, shown

GROUPS = ("dev", "test", "tests", "testing")
CORRECT = "Correct the file, or name other files in TILTH_DEPENDENCIES."
WHAT_TO_SET = "write it into a requirements file and set TILTH_DEPENDENCIES to the files to take (comma list of paths)"


class Declared:
    """The lines of one list of requirements, parsed only when they are asked for: an error in a list that nobody takes
    is none."""

    def __init__(self, files, path, label, lines):
        self.files, self.path, self.label, self.lines = files, path, label, lines

    def asked(self):
        if not isinstance(self.lines, list) or not all(isinstance(line, str) for line in self.lines):
            raise refused(f"{self.path} {self.label} is no list of requirements.", CORRECT)
        return [self.one(line.strip()) for line in self.lines if line.strip()]

    def one(self, line):
        where = f"{self.files.line_of(self.path, line)} ({self.label})"
        refuse_place(line, where)
        return Asked(requirement(line, where), where)

    def stated(self):
        """The requirements that can be stated in metadata."""
        for line in self.lines if isinstance(self.lines, list) else []:
            try:
                yield Requirement(line)
            except (InvalidRequirement, ValueError, TypeError, RecursionError):
                continue


class Project:
    def __init__(self, files, folder=""):
        self.files = files
        self.pyproject = posixpath.join(folder, "pyproject.toml")
        self.setup_cfg = posixpath.join(folder, "setup.cfg")
        self.name = self.version = self.requires_python = self.source = None
        self.about = []  # (header, text) of its metadata
        self.dependencies, self.extras, self.groups = None, {}, {}  # each a Declared
        self.entry_points = {}  # group: {name: object}
        self.document = {}  # pyproject.toml
        self.folders = []  # folders of modules that setup.cfg or setup.py names
        self.dependency_files = []  # requirements files that a dynamic field refers to

    def own(self, name):
        return self.name is not None and normal(name) == normal(self.name)

    def runtime(self):
        return self.followed(self.dependencies.asked(), set()) if self.dependencies else []

    def group(self, name):
        return self.followed(self.groups[name].asked(), set())

    def extra(self, name, where):
        if normal(name) not in self.extras:
            raise refused(f"{where}: the project has no extra {shown(name)}.", "Name one that it declares.")
        return self.followed(self.extras[normal(name)].asked(), {normal(name)})

    def followed(self, found, seen):
        """The list with each mention of the project itself replaced by what its extras add."""
        result = []
        for asked in found:
            if not self.own(asked.requirement.name):
                result.append(asked)
                continue
            for name in sorted({*map(normal, asked.requirement.extras)} - seen):
                seen.add(name)
                result += self.followed(self.extras[name].asked(), seen) if name in self.extras else []
        return result

    def unread(self):
        """Sentences about dependencies that could only be known by running a program."""
        if self.dependencies is not None or self.dependency_files:
            return []
        if "setup.py" in self.files and "install_requires" in self.files.text_or_nothing("setup.py"):
            return [f"What setup.py requires is not known, because it is not run: {WHAT_TO_SET}."]
        if "dependencies" in dynamic(self.document):
            return [f"What {self.pyproject} requires is dynamic and not known: {WHAT_TO_SET}."]
        return []


def dynamic(document):
    project = document.get("project")
    found = project.get("dynamic", []) if isinstance(project, dict) else []
    return found if isinstance(found, list) else []


def with_included(groups, name, above, known):
    """The requirements of a dependency group, those of the groups that it includes in their place."""
    if name in known:
        return known[name]
    if name in above or len(above) > 50 or not isinstance(groups.get(name), list):
        raise refused(f"[dependency-groups] {shown(name)} is missing, is no list, or includes itself.", CORRECT)
    found = []
    for line in groups[name]:
        if isinstance(line, dict) and isinstance(line.get("include-group"), str):
            found += with_included(groups, normal(line["include-group"]), (*above, name), known)
        else:
            found.append(line)
        if len(found) > MOST:
            raise refused(f"[dependency-groups] {shown(name)} holds more than {MOST} requirements.", CORRECT)
    known[name] = found
    return found
