"""Tells whether files are unchanged without opening any, because looking must leave no trace."""

from __future__ import annotations

import os
import stat

from check.project import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    # inode, size, times of the last change of content and of the file itself, type
    Identity = tuple[int, int, int, int, int]

status = os.stat


class Files:
    """Files with their state when they were last looked at."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.seen = {path: identity(path) for path in paths}

    def changed(self) -> list[str]:
        """Paths that changed since the last call; each change is told once."""
        found = [path for path, before in self.seen.items() if identity(path) != before]
        for path in found:
            self.seen[path] = identity(path)
        return found


def identity(path: str) -> Identity | None:
    """Includes the ctime, which no program can set."""
    try:
        found = status(f"{options.WORKSPACE}/{path}")
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, stat.S_IFMT(found.st_mode)
