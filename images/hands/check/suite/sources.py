"""Reads the test files before anything of the project runs: code that is imported while tests are collected can write to
them."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDERS = ("test", "tests", "testing")
LARGEST = 2 * 1024 * 1024


class Sources:
    """The files, the modules beside them and those in the folders above up to that of the tests."""

    def __init__(self, files: Iterable[str]) -> None:
        self.before = {path: read(path) for path in {one for file in files for one in self.around(file)}}

    def around(self, file: str) -> Iterator[str]:
        yield file
        folder = os.path.dirname(file)
        while folder:
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                if name.endswith(".py"):
                    yield os.path.join(folder, name)
            folder = os.path.dirname(folder) if os.path.basename(folder) not in FOLDERS else ""

    def changed(self) -> list[str]:
        return sorted(path for path, content in self.before.items() if read(path) != content)


def read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            return file.read(LARGEST)
    except OSError:
        return None
