"""Trees of the session's repository, read through git's plumbing. Nothing here runs what a tree holds."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import tokenize
from posixpath import normpath

GIT = "/usr/bin/git"
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_NO_REPLACE_OBJECTS": "1"}
LARGEST = 2 * 1024 * 1024
LINK = "120000"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Unpack

    # mode and object
    Entry = tuple[str, str]
    # the kind of file (None for none there), and what tells its content from others
    Identity = tuple[str | None, Unpack[tuple[object, ...]]]


class Repository:
    def __init__(self, path: str) -> None:
        self.path = path
        self.reader = subprocess.Popen(
            [GIT, f"--git-dir={path}", "cat-file", "--batch"],
            env=ENV,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.reader.stdin and self.reader.stdout
        self.questions, self.answers = self.reader.stdin, self.reader.stdout

    def tree(self, oid: str) -> Tree:
        listed = subprocess.run(
            [GIT, f"--git-dir={self.path}", "ls-tree", "-r", "-z", "--full-tree", oid],
            env=ENV,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        entries: dict[str, Entry] = {}
        for line in listed.split(b"\0")[:-1]:
            meta, _, path = line.partition(b"\t")
            mode, _, blob = meta.decode().split(" ")
            entries[os.fsdecode(path)] = (mode, blob)
        return Tree(self, entries, oid)

    def mentioning(self, oid: str, words: Iterable[str]) -> list[str]:
        """Paths of the .py files in a tree that hold one of the words."""
        asked = [option for word in words for option in ("-e", word)]
        found = subprocess.run(
            [GIT, f"--git-dir={self.path}", "grep", "-l", "-z", "-a", "-w", "-F", *asked, oid, "--", "*.py"],
            env=ENV,
            stdout=subprocess.PIPE,
        )
        if found.returncode > 1:
            raise OSError(f"git grep ended with {found.returncode}")
        return [os.fsdecode(line.partition(b":")[2]) for line in found.stdout.split(b"\0")[:-1]]

    def ask(self, name: bytes) -> list[bytes]:
        self.questions.write(name + b"\n")
        self.questions.flush()
        return self.answers.readline().rstrip(b"\n").rsplit(b" ", 2)

    def oid_at(self, tree: str, path: str) -> str | None:
        """The object that a tree has at a path, without listing the tree; None for nothing, and for a name that cannot
        be asked for."""
        name = os.fsencode(path)
        if b"\n" in name:
            return None
        oid, *kind = self.ask(f"{tree}:".encode() + name)
        if len(kind) < 2 or not kind[1].isdigit():
            return None
        self.skip(int(kind[1]) + 1)
        return oid.decode()

    def blob(self, oid: str) -> bytes | None:
        """The content of a blob; None if it is larger than anything that is parsed here."""
        size = int(self.ask(oid.encode())[2])
        if size <= LARGEST:
            return self.answers.read(size + 1)[:-1]
        self.skip(size + 1)
        return None

    def skip(self, left: int) -> None:
        while left:
            left -= len(self.answers.read(min(left, 65536)))


class Tree:
    def __init__(self, repository: Repository, entries: dict[str, Entry], oid: str) -> None:
        self.repository = repository
        self.oid = oid
        self.entries = entries
        self.folders = {folder for path in entries for folder in parents(path)}
        self.links = {path for path, (mode, _) in entries.items() if mode == LINK}
        self.known_modules: set[str] | None = None

    def __contains__(self, path: str) -> bool:
        return path in self.entries

    def identity(self, path: str) -> Identity:
        """Equal for equal content of the same kind: a link is not the file that it leads to, and changes with it."""
        mode, oid = self.entries.get(path, (None, None))
        if mode == LINK:
            return ("120", oid, self.content_identity(self.resolved(path)))
        if mode is None and self.links:
            real = self.resolved(path)
            return ("through", real, self.content_identity(real)) if real != path and real in self else (None, None)
        return (mode and mode[:3], oid)

    def content_identity(self, path: str) -> tuple[object, ...] | None:
        """The identity of a file, or of everything in a folder."""
        if path in self.folders:
            return tuple(sorted(item for item in self.entries.items() if item[0].startswith(f"{path}/")))
        return self.entries.get(path)

    def resolved(self, path: str, hops: int = 16) -> str:
        """The path with the links on its way followed, as long as they stay in the tree."""
        parts = path.split("/") if self.links else []
        for end in range(1, len(parts) + 1):
            start = "/".join(parts[:end])
            if start in self.links and hops:
                target = self.target(start)
                there = normpath(join(folder_of(start), target))
                return path if target.startswith("/") else self.resolved("/".join([there, *parts[end:]]), hops - 1)
        return path

    def is_file(self, path: str) -> bool:
        return self.identity(path)[0] == "100"

    def mentioning(self, words: Iterable[str]) -> list[str]:
        return self.repository.mentioning(self.oid, words)

    def modules(self) -> set[str]:
        """Names of everything in the tree that could be imported."""
        if self.known_modules is None:
            names = {base_name(folder) for folder in self.folders}
            self.known_modules = names | {base_name(path).partition(".")[0] for path in self.entries}
        return self.known_modules

    def link(self, path: str) -> str | None:
        """The target of a link as it is written; None if the path is no link."""
        return self.target(path) if path in self.links else None

    def target(self, path: str) -> str:
        return os.fsdecode(self.repository.blob(self.entries[path][1]) or b"")

    def content(self, path: str) -> bytes | None:
        """The bytes of a regular file, links followed; None if there is none, or it is too large."""
        path = self.resolved(path)
        return self.repository.blob(self.entries[path][1]) if self.is_file(path) else None

    def text(self, path: str) -> str | None:
        """The text of a file, in the encoding that a source declares; None if there is no regular file, or it is too
        large or no text."""
        content = self.content(path)
        try:
            if content is None or not path.endswith(".py"):
                return None if content is None else content.decode()
            return content.decode(tokenize.detect_encoding(io.BytesIO(content).readline)[0])
        except (UnicodeDecodeError, SyntaxError):
            return None


def parents(path: str) -> Iterator[str]:
    cut = path.rfind("/")
    while cut > 0:
        path = path[:cut]
        yield path
        cut = path.rfind("/")


def base_name(path: str) -> str:
    return path.rpartition("/")[2]


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def shown(path: str) -> str:
    """The path in printable characters, whatever bytes it holds."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
