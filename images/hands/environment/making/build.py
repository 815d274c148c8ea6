"""Builds an environment that can be mounted, all the way from the dependency files."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import shutil
import tempfile
from typing import NamedTuple

from environment.declared.chosen_files import wanted_of
from environment.declared.files import Files
from environment.declared.project import Project
from environment.declared.project_files import project_of
from environment.declared.requirements import Requirements
from environment.declared.source_roots import source_roots
from environment.distributions import JUDGE, PYTEST_VERSION, PYTHON_VERSION, normal
from environment.making import manifest
from environment.making.built_wheels import BuiltWheels, built_in
from environment.making.environment_lock import LockedPackage, parsed, written
from environment.making.install import compiled, install, installed
from environment.making.packages import chosen
from environment.making.project_distribution import mentions_of, version_of, write_metadata, write_path_file
from environment.making.startup_code import leave_no_empty_folders, without_startup_code
from environment.making.uv import Uv
from environment.making.virtual_environment import bare, emptied, pytest_of_image
from environment.places import ENVIRONMENT, SITE
from environment.problem import Problem, counted, listed, refused, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from environment.wire import BuildAnswer, BuildOrder, BuildStart, NamedVersion


class Work(NamedTuple):
    """One order, its files read and its packages chosen."""

    uv: Uv
    files: Files
    project: Project
    wanted: Requirements
    packages: dict[str, LockedPackage]


def wheels(order: BuildOrder) -> BuildAnswer:
    """Builds wheels from source for an environment, and its lock. Runs where the code of packages may run, and nothing
    else of that place is used afterwards."""
    with started(order, builds=True) as work:
        uv, packages = work.uv, work.packages
        sources = {name: packages[name] for name in map(normal, order["from_source"]) if name in packages}
        if sources:
            bare()
            say(f"building {listed(sorted(sources))} from source")
            install(uv, written(sources))
        made = built_in(uv.cache, set(sources))
        emptied()
        return {**answer(work, work.wanted.said), "lock": written(packages), "wheels": made}


def build(order: BuildOrder) -> BuildAnswer:
    with started(order) as work:
        if not work.packages and work.project.name is None:
            return nothing(work)
        return made(work, order)


@contextlib.contextmanager
def started(order: BuildOrder, builds: bool = False) -> Generator[Work, None, None]:
    emptied()
    files = Files(order["files"])
    project = project_of(files)
    refuse_judge(project)
    refuse_python(project)
    scratch = tempfile.mkdtemp()
    try:
        uv = Uv(scratch, f"{ENVIRONMENT}/.cache-{os.urandom(8).hex()}", order, builds)
        if order["lock"] is None:
            wanted, packages = chosen(uv, files, project, order)
        else:
            wanted, packages = wanted_before(files, project, order), parsed(order["lock"])
        if project.name is not None:
            packages.pop(normal(project.name), None)
        yield Work(uv, files, project, wanted, packages)
    except BaseException:
        emptied()
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def wanted_before(files: Files, project: Project, order: BuildOrder) -> Requirements:
    """The files that were taken, only to be told: the lock already decides everything."""
    try:
        return wanted_of(files, project, order)
    except Problem:
        return Requirements()


def made(work: Work, order: BuildOrder) -> BuildAnswer:
    packages = work.packages
    bare()
    if packages:
        say(f"downloading and installing {counted(len(packages), 'package')}")
    allowed = set(map(normal, order["from_source"]))
    installed(work.uv, packages, BuiltWheels(order["wheels"], allowed, f"{work.uv.scratch}/wheels"))
    said = [*work.wanted.said, *without_startup_code()]
    plugins = modules_of_plugins()
    for name in mentions_of(work.project):
        said.append(f"{name} requires {work.project.name}, which is the project itself and is not installed.")
    say("byte-compiling what was installed")
    compiled()
    about, more = own(work, order["version"], with_image="pytest" not in packages)
    leave_no_empty_folders()
    version, origin = (packages["pytest"].version, "environment") if "pytest" in packages else (PYTEST_VERSION, "image")
    digest = manifest.write(
        {"python": PYTHON_VERSION, "pytest": {"version": version, "from": origin}, "plugins": plugins}
    )
    say(f"the environment holds {counted(len(packages), 'package')}")
    return {
        **answer(work, [*said, *more]),
        "lock": written(packages),
        "packages": len(packages),
        "digest": digest,
        "pytest": version,
        "project": about,
        "names": [[name, one.version] for name, one in sorted(packages.items())],
    }


def answer(work: Work, said: Iterable[str]) -> BuildStart:
    """Names the file in which requirements would stand even if the project requires nothing."""
    project = work.project
    taken = work.wanted.taken or [path for path in (project.pyproject, project.setup_cfg) if path == project.source]
    return {"ok": True, "taken": taken, "said": list(dict.fromkeys(said)), "python": PYTHON_VERSION}


def nothing(work: Work) -> BuildAnswer:
    emptied()
    return {
        **answer(work, work.wanted.said),
        "lock": "",
        "packages": 0,
        "digest": "",
        "pytest": PYTEST_VERSION,
        "project": None,
        "names": [],
        "none": True,
    }


def own(work: Work, tagged: str | None, with_image: bool) -> tuple[NamedVersion | None, list[str]]:
    """The parts of the environment that no package brings."""
    project = work.project
    if with_image:
        pytest_of_image()
    write_path_file(source_roots(project), with_image)
    if project.name is None:
        return None, []
    version, origin = version_of(project, work.files, tagged)
    said = write_metadata(project, project.name, version)
    if origin is not None:
        said.append(f"The project's version is taken to be {version}, from {origin}.")
    return {"name": project.name, "version": version}, said


def modules_of_plugins() -> list[str]:
    found: set[str] = set()
    for distribution in importlib.metadata.distributions(path=[SITE]):
        for entry in distribution.entry_points:
            if entry.group == "pytest11":
                found.add(entry.module)
    return sorted(found)


def refuse_judge(project: Project) -> None:
    if project.name is not None and normal(project.name) in JUDGE:
        raise refused(
            f"The project is {project.name}, which tilth's own checks import: they cannot judge it.",
            f"There is no setting for this: the checks import {listed(sorted(JUDGE))}.",
        )


def refuse_python(project: Project) -> None:
    wanted = project.requires_python
    if wanted is not None and not wanted.contains(PYTHON_VERSION, prereleases=True):
        raise refused(
            f"The project requires Python {wanted}, and the image has Python {PYTHON_VERSION}.",
            "Make an image of your own with a Python that fits: tilth image build --base NAME@sha256:…",
        )
