"""Refuses packages that bring a file in place of the interpreter, or of a module that checks run with."""

from __future__ import annotations

import filecmp
import importlib.metadata
import os

from environment.distributions import JUDGE
from environment.making.virtual_environment import INTERPRETER, LINKS, configuration
from environment.places import ENVIRONMENT, LIBRARY, MANIFEST, PYTHON, SITE
from environment.problem import refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


def refuse_interpreters() -> None:
    """A wheel can bring any file into bin/ and the root of the environment, but must not replace those that make it
    one."""
    taken = [f"bin/{name}" for name in os.listdir(f"{ENVIRONMENT}/bin") if INTERPRETER.fullmatch(name)]
    wrong = [name for name in taken if name.removeprefix("bin/") not in LINKS or not leads_to_python(name)]
    with open(f"{ENVIRONMENT}/pyvenv.cfg", encoding="utf-8", errors="replace") as file:
        wrong += [] if file.read() == configuration() else ["pyvenv.cfg"]
    wrong += ["tilth.json"] if os.path.lexists(MANIFEST) else []
    wrong += [f"{LIBRARY}/{name}" for name in os.listdir(f"{ENVIRONMENT}/{LIBRARY}") if name != "site-packages"]
    if wrong:
        raise refused(
            f"A package brings {wrong[0]}, which would take the place of the environment's own.",
            "Leave that package out.",
        )


def leads_to_python(name: str) -> bool:
    path = f"{ENVIRONMENT}/{name}"
    return os.path.islink(path) and os.readlink(path) == PYTHON


def refuse_judges(alone: str) -> None:
    """A wheel can bring any module, but none that checks run with, nor a part of one. The environment's own must equal
    those of `alone`, an installation without the other packages."""
    names = modules_of_judge()
    expected = files_of(alone, names)
    for path in sorted(files_of(SITE, names)):
        if path not in expected or not filecmp.cmp(f"{SITE}/{path}", f"{alone}/{path}", shallow=False):
            raise refused(f"A package brings {shown(path)}, which checks run with.", "Leave that package out.")


def modules_of_judge() -> set[str]:
    found = [file for name in JUDGE for file in importlib.metadata.distribution(name).files or []]
    tops = {str(file).partition("/")[0] for file in found if file.suffix == ".py"}
    return {top.partition(".")[0] for top in tops} - {"py"}  # `py` is also a package of its own


def files_of(folder: str, modules: Collection[str]) -> list[str]:
    """Files below a folder that belong to modules of these names, in whatever form."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    tops = [name for name in names if name.partition(".")[0] in modules]
    found = [name for name in tops if os.path.isfile(f"{folder}/{name}")]
    for top in tops:
        for inside, _, files in os.walk(f"{folder}/{top}"):
            found += [os.path.relpath(f"{inside}/{name}", folder) for name in files]
    return found
