"""The dependency files of a base, as text, and the documents in them."""

from __future__ import annotations

import base64
import binascii
import configparser
import posixpath
import sys

from environment.problem import Problem, refused

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LARGEST, LARGEST_LOCK = 1_000_000, 16_000_000
MOST_DOTS = 2_000
BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


class Parser(configparser.RawConfigParser):
    """Keeps the names of keys as they are written."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


class Files:
    def __init__(self, encoded: dict[str, str]) -> None:
        self.encoded = encoded
        self.documents: dict[str, dict[str, Any]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self.encoded

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.encoded))

    def text(self, path: str) -> str:
        try:
            content = base64.b64decode(self.encoded[path])
        except (binascii.Error, ValueError):
            raise unreadable(path, "it is not base64") from None
        most = LARGEST_LOCK if path.endswith(".lock") or is_pylock(path) else LARGEST
        if len(content) > most:
            raise unreadable(path, f"it is larger than {most // 1_000_000} MB")
        encoding = next((name for mark, name in BYTE_ORDER_MARKS.items() if content.startswith(mark)), "utf-8")
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            raise unreadable(path, "it is not UTF-8 text") from None

    def text_or_nothing(self, path: str) -> str:
        """For files that are only glanced at: one that cannot be read counts as empty."""
        try:
            return self.text(path)
        except Problem:
            return ""

    def toml(self, path: str) -> dict[str, Any]:
        if path not in self.documents:
            text = self.text(path)
            # the time to read a key grows with the square of its parts
            if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
                raise unreadable(path, "it is nested too deeply")
            try:
                self.documents[path] = tomllib.loads(text)
            except RecursionError:
                raise unreadable(path, "it is nested too deeply") from None
            except ValueError as error:
                raise unreadable(path, str(error)) from None
        return self.documents[path]

    def ini(self, path: str) -> configparser.RawConfigParser:
        parser = Parser(strict=False)
        try:
            parser.read_string(self.text(path), path)
        except configparser.Error as error:
            raise unreadable(path, str(error).replace("\n", " ")) from None
        return parser

    def line_of(self, path: str, needle: str) -> str:
        """The place of a text in a file, for a person to find it."""
        lines = self.text(path).splitlines()
        number = next((at for at, line in enumerate(lines, 1) if needle and needle in line), None)
        return f"{path} line {number}" if number else path


def is_pylock(path: str) -> bool:
    name = posixpath.basename(path)
    return name == "pylock.toml" or (name.startswith("pylock.") and name.endswith(".toml") and name.count(".") == 2)


def unreadable(path: str, why: str) -> Problem:
    return refused(f"{path} cannot be read: {why}.", "Correct the file, or name other files in TILTH_DEPENDENCIES.")
