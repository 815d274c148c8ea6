"""Copies the repository into the memory in which it is checked."""

from __future__ import annotations

import errno
import os
import shutil
import stat

from oneshot.program import WORKSPACE
from oneshot.report import CannotRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

SOURCE = "/source"
LEFT_BEHIND = {".git", ".venv", "venv", "node_modules", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}
HINTS = {errno.ENOSPC: "; raise TILTH_CHECK_DISK", errno.EACCES: "; set TILTH_UID to a user who may read it"}


def copy_source() -> None:
    """Leaves behind pipes, sockets, devices, and the folders that tools make while somebody works there."""
    try:
        if not os.listdir(SOURCE):
            raise CannotRun("there is nothing in TILTH_REPO")
        for folder, folders, files in os.walk(SOURCE, onerror=stop):
            folders[:] = [name for name in folders if name not in LEFT_BEHIND]
            target = os.path.join(WORKSPACE, os.path.relpath(folder, SOURCE))
            os.makedirs(target, exist_ok=True)
            for name in [*folders, *files]:
                copy(os.path.join(folder, name), os.path.join(target, name))
    except OSError as error:
        hint = HINTS.get(error.errno or 0, "")
        raise CannotRun(f"cannot copy {error.filename}: {error.strerror}{hint}") from error


def stop(error: OSError) -> NoReturn:
    raise error


def copy(source: str, target: str) -> None:
    """Links as links; files so that they can be written to in the copy, whatever their modes say."""
    mode = os.lstat(source).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(source), target)
    elif stat.S_ISREG(mode):
        shutil.copyfile(source, target)
        os.chmod(target, mode & 0o777 | 0o600)
