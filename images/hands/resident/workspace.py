"""Paths of the worktree: links are followed while they stay inside, never out; regular files only."""

from __future__ import annotations

import errno
import os
import stat

from resident.calls import Refusal
from resident.paths import WORKSPACE, encode, printable

FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PLAIN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
LINKS_FOLLOWED = 40


class Place:
    """A name in an open folder. `found` is its lstat, None when there is nothing of that name."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.fds: list[int] = []
        self.name = b""
        self.path = b""
        self.links: list[bytes] = []
        self.found: os.stat_result | None = None

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        for fd in self.fds:
            os.close(fd)

    def names(self) -> list[str]:
        """Every path that the file goes by here: its own, and those of the links that led to it."""
        return [printable(path) for path in [*self.links, self.path]]

    def open(self, flags: int, mode: int = 0o644) -> int:
        """The regular file itself; a link or FIFO put there meanwhile is an error and does not block."""
        if self.found is not None and not stat.S_ISREG(self.found.st_mode):
            raise Refusal("tool", f"{self.shown}: not a regular file.")
        fd = os.open(self.name, flags | PLAIN, mode, dir_fd=self.fds[-1])
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return fd
        os.close(fd)
        raise Refusal("tool", f"{self.shown}: not a regular file.")


class Workspace:
    """Paths of the worktree, resolved by hand from its root: links are followed while they stay inside, never out."""

    def open_again(self) -> None:
        """Its owner may have locked it (`chmod 000 .`)."""
        try:
            found = os.stat(WORKSPACE)
            if found.st_mode & 0o700 != 0o700 and found.st_uid == os.getuid():
                os.chmod(WORKSPACE, stat.S_IMODE(found.st_mode) | 0o700)
        except OSError:
            pass

    def root(self, flags: int = FOLDER) -> int:
        return os.open(WORKSPACE, flags)

    def locate(self, path: str, make: bool = False) -> Place:
        """The place `path` names; `make` makes the folders above it that are missing."""
        shown = printable(encode(path))[:300]
        place = Place(shown)
        todo = components(encode(path), shown)
        if path.endswith(("/", "/.")):
            raise a_folder(shown)
        try:
            with FileWork(shown):
                place.fds.append(self.root())
                self.walk(place, todo, make)
        except BaseException:
            place.__exit__()
            raise
        return place

    def walk(self, place: Place, todo: list[bytes], make: bool) -> None:
        names: list[bytes] = []
        links = 0
        while todo:
            name = todo.pop()
            if name == b"..":
                if not names:
                    raise outside(place.shown)
                names.pop()
                os.close(place.fds.pop())
                continue
            if not names and name.lower() == b".git":
                raise Refusal("tool", f"{place.shown}: .git is git's own.")
            found = lstat(name, place.fds[-1])
            if found is not None and stat.S_ISLNK(found.st_mode):
                links += 1
                if links > LINKS_FOLLOWED:
                    raise Refusal("tool", f"{place.shown}: too many links.")
                self.follow(place, name, names, todo)
            elif todo:
                self.enter(place, name, found, make)
                names.append(name)
            else:
                place.name, place.found, place.path = name, found, b"/".join([*names, name])
                break
        if not place.name or (place.found is not None and stat.S_ISDIR(place.found.st_mode)):
            raise a_folder(place.shown)

    def follow(self, place: Place, name: bytes, names: list[bytes], todo: list[bytes]) -> None:
        place.links.append(b"/".join([*names, name]))
        target = os.readlink(name, dir_fd=place.fds[-1])
        if target.startswith(b"/"):
            while len(place.fds) > 1:
                os.close(place.fds.pop())
            names.clear()
        todo.extend(components(target, place.shown, lexical=False))

    def enter(self, place: Place, name: bytes, found: os.stat_result | None, make: bool) -> None:
        folder = place.fds[-1]
        if found is None:
            if not make:
                raise Refusal("tool", f"{place.shown}: no such file.")
            os.mkdir(name, 0o755, dir_fd=folder)
        elif not stat.S_ISDIR(found.st_mode):
            raise Refusal("tool", f"{place.shown}: {printable(name)} is not a folder.")
        place.fds.append(os.open(name, FOLDER, dir_fd=folder))

    def existing(self, path: str) -> Place:
        place = self.locate(path)
        if place.found is None:
            place.__exit__()
            raise Refusal("tool", f"{place.shown}: no such file.")
        return place


class FileWork:
    """Errors inside are told to whoever asked for the file."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            ours = error.errno in (errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
            raise Refusal("io" if ours else "tool", f"{self.shown}: {error.strerror}.") from None


def components(path: bytes, shown: str, lexical: bool = True) -> list[bytes]:
    """The names of a path relative to the workspace, last first."""
    if not path.strip():
        raise Refusal("tool", "The path is empty; name a file of the workspace.")
    if b"\0" in path:
        raise Refusal("tool", f"{shown}: a path cannot hold a NUL byte.")
    names = [name for name in path.split(b"/") if name not in (b"", b".")]
    if path.startswith(b"/"):
        if names[:1] != [WORKSPACE[1:]]:
            raise outside(shown)
        names = names[1:]
    if lexical:
        depth = 0
        for name in names:
            depth += -1 if name == b".." else 1
            if depth < 0:
                raise outside(shown)
    return names[::-1]


def a_folder(shown: str) -> Refusal:
    return Refusal("tool", f"{shown}: a folder, not a file; glob lists what is in it.")


def outside(shown: str) -> Refusal:
    return Refusal("tool", f"{shown}: outside the workspace; paths are relative to /workspace or absolute under it.")


def lstat(name: bytes, folder: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
