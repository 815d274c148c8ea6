"""Keeps the project's own tests within their time."""

from __future__ import annotations

import signal
from time import monotonic

import pytest

AGAIN_SECONDS = 5


class OutOfTime(BaseException):
    """A BaseException, so that no test catches it as an error of its own."""


class Clock:
    """Leaves out tests that there is no time for, and breaks off the one that runs when the time is over."""

    def __init__(self, seconds: float, canary: str) -> None:
        self.seconds, self.end = seconds, monotonic() + seconds
        self.canary = canary
        self.late: list[str] = []
        self.broken_off: list[str] = []
        self.item: str | None = None
        self.collecting = True

    def start(self) -> None:
        signal.signal(signal.SIGALRM, self.over)
        signal.setitimer(signal.ITIMER_REAL, self.seconds, AGAIN_SECONDS)

    def over(self, *_: object) -> None:
        if self.collecting:
            raise OutOfTime
        if self.item is not None and not self.is_canary(self.item):
            self.broken_off += [self.item] if self.item not in self.broken_off else []
            raise OutOfTime

    def is_canary(self, name: str) -> bool:
        return name.partition("[")[0] == self.canary

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        name = str(item.nodeid)
        if monotonic() < self.end or self.is_canary(name):
            return None
        self.late.append(name)
        return True
