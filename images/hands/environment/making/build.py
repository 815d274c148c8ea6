"""Builds an environment that can be mounted, all the way from the dependency files."""

import contextlib
import importlib.metadata
import os
import shutil
import tempfile

from environment.declared.files import Files
from environment.declared.lock_text import parsed, written
from environment.declared.requirements import Wanted
from environment.declared.roots import source_roots
from environment.declared.setup import project_of
from environment.declared.taken import wanted_of
from environment.making import manifest
from environment.making.chosen import chosen
from environment.making.install import bare, compiled, emptied, install, installed, pytest_of_image
from environment.making.own import mentions_of, version_of, write_metadata, write_path_file
from environment.making.startup import leave_no_empty_folders, without_startup_code
from environment.making.uv import Uv
from environment.making.wheels import Brought, built_in
from environment.places import ENVIRONMENT, JUDGE, PYTEST_VERSION, PYTHON_VERSION, SITE, normal
from environment.problem import Problem, counted, listed, refused, say


def wheels(spec):
    """Builds wheels from source for an environment, and its lock. Runs where the code of packages may run, and nothing
    else of that place is used afterwards."""
    with started(spec, builds=True) as (uv, packages, project, wanted, _):
        sources = {name: packages[name] for name in map(normal, spec["from_source"]) if name in packages}
        if sources:
            bare()
            say(f"building {listed(sorted(sources))} from source")
            install(uv, written(sources))
        made = built_in(uv.cache, set(sources))
        emptied()
        return {**answer(project, wanted, wanted.said), "lock": written(packages), "wheels": made}


def build(spec):
    with started(spec) as (uv, packages, project, wanted, files):
        if not packages and project.name is None:
            return nothing(project, wanted)
        return made(uv, packages, project, wanted, files, spec)


@contextlib.contextmanager
def started(spec, builds=False):
    emptied()
    files = Files(spec["files"])
    project = project_of(files)
    refuse_judge(project)
    refuse_python(project)
    scratch = tempfile.mkdtemp()
    try:
        uv = Uv(scratch, f"{ENVIRONMENT}/.cache-{os.urandom(8).hex()}", spec, builds)
        if spec["lock"] is None:
            wanted, packages = chosen(uv, files, project, spec)
        else:
            wanted, packages = wanted_before(files, project, spec), parsed(spec["lock"])
        if project.name is not None:
            packages.pop(normal(project.name), None)
        yield uv, packages, project, wanted, files
    except BaseException:
        emptied()
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def wanted_before(files, project, spec):
    """The files that were taken, only to be told: the lock already decides everything."""
    try:
        return wanted_of(files, project, spec)
    except Problem:
        return Wanted()


def made(uv, packages, project, wanted, files, spec):
    bare()
    if packages:
        say(f"downloading and installing {counted(len(packages), 'package')}")
    installed(uv, packages, Brought(spec.get("wheels", {}), set(map(normal, spec["from_source"])), f"{uv.scratch}/wheels"))
    said = [*wanted.said, *without_startup_code()]
    plugins = modules_of_plugins()
    for name in mentions_of(project):
        said.append(f"{name} requires {project.name}, which is the project itself and is not installed.")
    say("byte-compiling what was installed")
    compiled()
    about, more = own(project, files, spec, with_image="pytest" not in packages)
    leave_no_empty_folders()
    version, origin = (packages["pytest"][0], "environment") if "pytest" in packages else (PYTEST_VERSION, "image")
    digest = manifest.write(
        {"python": PYTHON_VERSION, "pytest": {"version": version, "from": origin}, "plugins": plugins}
    )
    say(f"the environment holds {counted(len(packages), 'package')}")
    return {
        **answer(project, wanted, [*said, *more]),
        "lock": written(packages),
        "packages": len(packages),
        "digest": digest,
        "pytest": version,
        "project": about,
        "names": [[name, version] for name, (version, _) in sorted(packages.items())],
    }


def answer(project, wanted, said):
    """Names the file in which requirements would stand even if the project requires nothing."""
    taken = wanted.taken or [path for path in (project.pyproject, project.setup_cfg) if path == project.source]
    return {"ok": True, "taken": taken, "said": list(dict.fromkeys(said)), "python": PYTHON_VERSION}


def nothing(project, wanted):
    emptied()
    rest = {"lock": "", "packages": 0, "digest": "", "pytest": PYTEST_VERSION, "project": None, "names": []}
    return {**answer(project, wanted, wanted.said), **rest, "none": True}


def own(project, files, spec, with_image):
    """The parts of the environment that no package brings."""
    if with_image:
        pytest_of_image()
    write_path_file(source_roots(project), with_image)
    if project.name is None:
        return None, []
    version, origin = version_of(project, files, spec["version"])
    said = write_metadata(project, version)
    if origin is not None:
        said.append(f"The project's version is taken to be {version}, from {origin}.")
    return {"name": project.name, "version": version}, said


def modules_of_plugins():
    found = set()
    for distribution in importlib.metadata.distributions(path=[SITE]):
        for entry in distribution.entry_points:
            if entry.group == "pytest11":
                found.add(entry.module)
    return sorted(found)


def refuse_judge(project):
    if project.name is not None and normal(project.name) in JUDGE:
        raise refused(
            f"The project is {project.name}, which tilth's own checks import: they cannot judge it.",
            f"There is no setting for this: the checks import {listed(sorted(JUDGE))}.",
        )


def refuse_python(project):
    wanted = project.requires_python
    if wanted is not None and not wanted.contains(PYTHON_VERSION, prereleases=True):
        raise refused(
            f"The project requires Python {wanted}, and the image has Python {PYTHON_VERSION}.",
            "Make an image of your own with a Python that fits: tilth image build --base NAME@sha256:…",
        )
