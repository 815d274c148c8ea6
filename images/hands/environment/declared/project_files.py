"""Reads a project from those of its files that describe it: pyproject.toml, setup.cfg, setup.py."""

from __future__ import annotations

from environment.declared.project import Project
from environment.declared.pyproject import of_pyproject
from environment.declared.setup_cfg import of_setup_cfg
from environment.declared.setup_py import of_setup_py
from environment.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from environment.declared.files import Files


def project_of(files: Files, folder: str = "") -> Project:
    project = Project(files, folder)
    if project.pyproject in files:
        of_pyproject(project)
    if project.setup_cfg in files:
        try:
            of_setup_cfg(project, files.ini(project.setup_cfg))
        except Problem:
            if project.name is None:
                raise  # a project that has a name may keep only some tool's configuration there
    if project.name is None and not folder and "setup.py" in files:
        of_setup_py(project, files.text_or_nothing("setup.py"))
    return project
