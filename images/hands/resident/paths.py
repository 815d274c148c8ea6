"""Places in the container, and paths as replies show them or withhold them."""

from __future__ import annotations

import os
import re

from resident.calls import Refusal

WORKSPACE = b"/workspace"
ENVIRONMENT = b"/opt/tilth/env"
LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
WITHHELD_SHOWN = 200

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import WithheldFiles, Withhold


def printable(raw: bytes) -> str:
    """One line of text: bytes that are no UTF-8 and control characters become escapes."""
    text = raw.decode("utf-8", "backslashreplace")
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda m: m[0].encode("unicode_escape").decode(), text)


def encode(path: str) -> bytes:
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Refusal("tool", "The path holds characters that no file name can have.") from None


class Withheld:
    """Files that are not shown, counted or searched: those that a pattern finds by their path, but for a few."""

    def __init__(self, args: Withhold | None) -> None:
        self.like = re.compile(args["like"], re.IGNORECASE | re.ASCII) if args else None
        self.shown = frozenset(args["shown"]) if args else ()
        self.paths: set[str] = set()

    def holds(self, path: str) -> bool:
        if self.like is None or path in self.shown or not self.like.search(path):
            return False
        self.paths.add(path)
        return True

    def reply(self) -> WithheldFiles:
        return {"paths": sorted(self.paths)[:WITHHELD_SHOWN], "count": len(self.paths)}
