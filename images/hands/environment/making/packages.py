"""Chooses the packages of a project's environment, with exact versions."""

from __future__ import annotations

import re

from environment.declared.chosen_files import wanted_of
from environment.declared.project import GROUPS
from environment.distributions import PYTHON_VERSION
from environment.making.resolver import Resolver
from environment.problem import Problem, listed, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from environment.declared.files import Files
    from environment.declared.project import Project
    from environment.declared.requirements import Requirements
    from environment.making.environment_lock import Packages
    from environment.making.uv import Uv
    from environment.wire import BuildOrder

TESTS = [name for name in GROUPS if name != "dev"]
# uv has two ways to say that a package needs another Python.
OTHER_PYTHON = re.compile(
    r"does not satisfy Python(?P<range>\S+) and (?P<name>\S+) depends on|(?P<one>\S+) requires Python (?P<its>\S+)"
)


def chosen(uv: Uv, files: Files, project: Project, order: BuildOrder) -> tuple[Requirements, Packages]:
    """The requirements that were taken, and the packages they resolve to."""
    wanted = wanted_of(files, project, order)
    try:
        return wanted, Resolver(uv, wanted, project.name).resolved()
    except Problem as problem:
        cause = OTHER_PYTHON.search(problem.problem) if problem.kind == "unresolved" else None
        without = tests_alone(files, project, order, wanted) if cause else None
        if cause is None or without is None:
            raise
        say("resolving without what is for development only")
        try:
            packages = Resolver(uv, without, project.name).resolved()
        except Problem:
            raise problem from None
        left = [label for label in wanted.taken if label not in without.taken]
        without.said.append(
            f"{listed(left)} is left out: {cause['name'] or cause['one']} needs Python"
            f" {cause['range'] or cause['its']}, and the image has Python {PYTHON_VERSION}."
        )
        return without, packages


def tests_alone(files: Files, project: Project, order: BuildOrder, wanted: Requirements) -> Requirements | None:
    """The requirements without the group or extra named dev, if there is one for tests; else None."""
    if not any(label.endswith(f" {name}") for label in wanted.taken for name in TESTS):
        return None
    without = wanted_of(files, project, order, TESTS)
    return without if len(without.taken) < len(wanted.taken) else None
