"""The disk under the worktree: how much room there is, and how much of it the worktree takes."""

from __future__ import annotations

import os
import stat
import time

from resident.loop import breathe
from resident.paths import ENVIRONMENT, LIST, WORKSPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    # descriptor, path with a slash at its end, and the entries that are still to come
    OpenFolder = tuple[int, str, Any]

ROOM_BYTES = 512 * 1024 * 1024
ROOM_FILES = 20_000
SURVEY_SLICE = 0.01
SURVEY_AGAIN = 10.0
SURVEY_SECONDS = 5.0
SURVEY_DEEP = 1000
LARGEST_KEPT = 64


class Survey:
    """Adds up the worktree's bytes on the disk: a walk in slices, so that everything else goes on meanwhile. `since`: files
    changed later are marked (ctime is a clock that nobody in here can set)."""

    def __init__(self, root: bytes, since: int) -> None:
        self.root = root
        self.since = since
        self.bytes = 0
        self.files: list[tuple[int, str, bool]] = []  # (bytes, path, changed since), the largest
        self.spent = 0.0
        self.steps = self.walk()

    def go_on(self, seconds: float) -> bool:
        """False while there is more to see, and time left to see it."""
        started = time.monotonic()
        for _ in self.steps:
            if time.monotonic() - started >= seconds:
                self.spent += time.monotonic() - started
                return self.spent >= SURVEY_SECONDS
        self.spent += time.monotonic() - started
        return True

    async def finish(self) -> Survey:
        while not self.go_on(SURVEY_SLICE):
            await breathe()
        self.steps.close()
        return self

    def walk(self) -> Generator[None, None, None]:
        folders: list[OpenFolder] = []
        try:
            self.enter(folders, "", self.root, None)
            seen = 0
            while folders:
                fd, prefix, entries = folders[-1]
                entry = self.next_of(entries)
                if entry is None:
                    folders.pop()
                    entries.close()
                    os.close(fd)
                    continue
                self.count(entry, prefix)
                if entry.is_dir(follow_symlinks=False) and len(folders) < SURVEY_DEEP:
                    self.enter(folders, f"{prefix}{entry.name}/", entry.name, fd)
                seen += 1
                if seen % 64 == 0:
                    yield
        finally:
            for fd, _, entries in folders:
                entries.close()
                os.close(fd)

    def enter(self, folders: list[OpenFolder], prefix: str, name: str | bytes, above: int | None) -> None:
        try:
            fd = os.open(name, LIST, dir_fd=above)
        except OSError:
            return
        try:
            folders.append((fd, prefix, os.scandir(fd)))
        except OSError:
            os.close(fd)

    def next_of(self, entries: Any) -> os.DirEntry[str] | None:
        try:
            return next(entries, None)
        except OSError:
            return None

    def count(self, entry: os.DirEntry[str], prefix: str) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return
        # a file of several names is met once for each
        size = found.st_blocks * 512 // max(1, found.st_nlink) if stat.S_ISREG(found.st_mode) else 0
        self.bytes += size
        if size:
            self.files.append((size, prefix + entry.name, found.st_ctime_ns > self.since))
            if len(self.files) > 2 * LARGEST_KEPT:
                self.files = self.largest(LARGEST_KEPT)

    def largest(self, count: int) -> list[tuple[int, str, bool]]:
        return sorted(self.files, key=lambda file: (-file[0], file[1]))[:count]


class Disk:
    """The worktree shares its disk with the brain's own state and with everything else of the person. Where an
    environment is made, it is that one's disk."""

    def __init__(self) -> None:
        self.root = ENVIRONMENT if os.access(ENVIRONMENT, os.W_OK) else WORKSPACE
        self.floor_bytes = self.floor_files = 0
        free, files = self.room()
        # a part of a small disk, so that one can work on it at all
        self.floor_bytes = min(ROOM_BYTES, free // 4)
        self.floor_files = min(ROOM_FILES, files // 4)
        self.taken: int | None = None
        self.free_then = free
        self.not_before = 0.0
        self.look_again = time.monotonic() + SURVEY_AGAIN

    def room(self) -> tuple[int, int]:
        """(bytes, files) that can still be made by a user who is not root."""
        space = os.statvfs(self.root)
        # some file systems know no number of files
        return space.f_bavail * space.f_frsize, space.f_favail if space.f_files else 1 << 62

    def at_most(self, free: int, limit: int) -> int:
        """The size the worktree can have grown to by now, if all that went from the disk went there. Files that others
        remove from the disk hide it, which is why it is looked at again now and then whatever this says."""
        taken = limit // 2 if self.taken is None else self.taken
        return taken + max(0, self.free_then - free)

    def surveyed(self, survey: Survey, free: int) -> None:
        self.taken = survey.bytes
        self.free_then = free
        # where others write too, the bound is soon past again
        now = time.monotonic()
        self.not_before = now + 20 * survey.spent
        self.look_again = now + max(SURVEY_AGAIN, 50 * survey.spent)

    def may_have_grown(self, free: int, limit: int, allowed: int) -> bool:
        now = time.monotonic()
        return now >= self.look_again or (now >= self.not_before and self.at_most(free, limit) > allowed)
