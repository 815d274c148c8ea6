"""Ends a command that takes more of the disk than it may."""

from __future__ import annotations

import os
import time

from resident.disk import SURVEY_SLICE, Disk, Survey
from resident.paths import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import FullDisk, FullWhat

# bytes and files a second: no look at the disk comes later than such a writer needs to the floor
FASTEST_WRITER, FASTEST_MAKER = 4e9, 2e5
LOOK_SOONEST, LOOK_LATEST = 0.05, 1.0
LARGEST_SHOWN = 3
TAKEN_BACK = 64


class Watch:
    """Looks at the disk while a command runs. One that began with too little room may go on as long as it takes hardly
    more: removing things must be possible."""

    def __init__(self, disk: Disk, limit: int) -> None:
        self.disk = disk
        self.limit = limit
        self.began = stamp_of_now()
        self.survey: Survey | None = None
        self.full: FullWhat | None = None
        free, files = disk.room()
        self.floor_bytes = min(disk.floor_bytes, max(free - disk.floor_bytes // 32, free // 2))
        self.floor_files = min(disk.floor_files, max(files - disk.floor_files // 32, files // 2))
        taken = disk.taken
        self.allowed = limit if taken is None or taken <= limit else taken + limit // 32
        self.next = time.monotonic() + self.pause(free, files)

    def pause(self, free: int, files: int) -> float:
        room = min((free - self.floor_bytes) / FASTEST_WRITER, (files - self.floor_files) / FASTEST_MAKER)
        return min(LOOK_LATEST, max(LOOK_SOONEST, room))

    def stops(self) -> bool:
        """Whether the command must end now; `full` says why."""
        now = time.monotonic()
        if now < self.next:
            return False
        free, files = self.disk.room()
        self.next = now + self.pause(free, files)
        if free < self.floor_bytes:
            self.full = "space"
        elif files < self.floor_files:
            self.full = "files"
        elif self.survey is not None:
            self.go_on(self.survey, free)
        elif self.disk.may_have_grown(free, self.limit, self.allowed):
            self.survey = Survey(self.disk.root, self.began)
            self.go_on(self.survey, free)
        return self.full is not None

    def go_on(self, survey: Survey, free: int) -> None:
        if survey.bytes <= self.allowed and not survey.go_on(SURVEY_SLICE):
            self.next = time.monotonic() + 3 * SURVEY_SLICE
            return
        self.disk.surveyed(survey, free)
        if survey.bytes > self.allowed:
            self.full = "share"
        self.survey = None

    async def outcome(self) -> FullDisk | None:
        """The reply's account of the disk after the command, None when there is nothing to say."""
        (free, files), stopped = self.disk.room(), self.full is not None
        # bytes written in the second between two looks are past the bound as well
        if not stopped and self.disk.may_have_grown(free, self.limit, self.allowed):
            self.disk.surveyed(await Survey(self.disk.root, self.began).finish(), free)
        self.full = self.full or self.still_full(free, files)
        if self.full is None:
            return None
        survey = await Survey(self.disk.root, self.began).finish()
        self.disk.surveyed(survey, free)
        removed = self.take_back(survey)
        if not stopped and self.full == "share" and survey.bytes <= self.limit:
            return None
        largest = [found for found in survey.largest(TAKEN_BACK) if found[1] not in removed]
        return {
            "what": self.full,
            "stopped": stopped,
            "free": self.disk.room()[0],
            "largest": [{"path": shown(path), "bytes": size} for size, path, _ in largest[:LARGEST_SHOWN]],
            "removed": [shown(path) for path in removed],
        }

    def still_full(self, free: int, files: int) -> FullWhat | None:
        if free < self.disk.floor_bytes:
            return "space"
        if files < self.disk.floor_files:
            return "files"
        return "share" if self.disk.taken is not None and self.disk.taken > self.limit else None

    def take_back(self, survey: Survey) -> list[str]:
        """One call can take all the room there is between two looks (fallocate). Then the command's large files go again:
        without any room the session would end here, and end again when it is resumed."""
        removed: list[str] = []
        for size, path, is_new in survey.largest(TAKEN_BACK):
            if self.disk.room()[0] >= self.disk.floor_bytes // 2 or size < self.disk.floor_bytes // 8:
                break
            if not is_new:
                continue
            try:
                os.unlink(os.path.join(os.fsdecode(self.disk.root), path))
                removed.append(path)
            except OSError:
                pass
        return removed


def stamp_of_now() -> int:
    """The stamp of a file that changes now. No clock that can be read is that one on every kernel: newer ones stamp files
    ahead of their coarse clock, and an older file would be taken for a new one."""
    fd = os.memfd_create("now", os.MFD_CLOEXEC)
    try:
        return os.fstat(fd).st_ctime_ns
    finally:
        os.close(fd)


def shown(path: str) -> str:
    return printable(os.fsencode(path))[:300]
