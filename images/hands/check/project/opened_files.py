"""Notes which files below tests/ a run reads, because data may judge too."""

from __future__ import annotations

import os
import sys

from check.project import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MOST = 2_000


def watch(files: Iterable[str]) -> dict[str, bool]:
    """Gives a dict that fills with paths as long as the process lives; the files that are run are left out."""
    opened: dict[str, bool] = {}
    written: set[str] = set()
    run = {os.path.join(options.WORKSPACE, path) for path in files}
    absolute, exists, decode = os.path.abspath, os.path.isfile, os.fsdecode
    exact = str.__str__  # a class derived from it answers as it likes

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or len(opened) >= MOST:
            return
        path, _, flags = arguments
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        path = absolute(exact(decode(path)))  # pyright: ignore[reportUnknownArgumentType]
        if not path.startswith(options.TESTS) or path in run or path.endswith(".pyc"):
            return
        if (flags or 0) & (os.O_WRONLY | os.O_CREAT):
            written.add(path)
        elif path not in written and exists(path):
            opened[os.path.relpath(path, options.WORKSPACE)] = True

    sys.addaudithook(hook)
    return opened
