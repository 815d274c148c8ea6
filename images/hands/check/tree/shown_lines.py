"""Reads lines of the files in a folder, to be shown."""

from __future__ import annotations

import os

from check.tree.trees import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from check.wire.shapes import LinesPayload, LinesReport

LINE_SHOWN = 500


def lines(payload: LinesPayload, wanted: Iterable[tuple[str, int]]) -> LinesReport:
    """The text of lines, for each path and number asked for; "" where there is none to read."""
    files: dict[str, list[str]] = {}
    return {"lines": [line_of(files, payload["root"], path, number) for path, number in wanted]}


def line_of(files: dict[str, list[str]], root: str, path: str, number: int) -> str:
    if path not in files:
        files[path] = read_lines(os.path.join(root, path))
    found = files[path]
    return found[number - 1][:LINE_SHOWN] if 0 < number <= len(found) else ""


def read_lines(path: str) -> list[str]:
    if not path.endswith((".py", ".pyi", ".toml")):
        return []
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
