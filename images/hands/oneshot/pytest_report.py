"""Holds the report of pytest's process: believed only with the nonce, and never waited for when that process is gone."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import select
import socket
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Test(TypedDict):
        id: str
        outcome: str
        text: str

    class Seen(TypedDict):
        nonce: str
        # None if pytest did not run
        exit: int | None
        finished: bool
        tests: list[Test]
        dropped: list[str]
        unserved: list[str]


MOST_BYTES = 64 * 1024 * 1024


class PytestReport:
    def __init__(self) -> None:
        self.nonce = secrets.token_hex(32)
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        self.ours, self.theirs = socket.socketpair()
        self.data = bytearray()

    def hand_over(self) -> None:
        socket.send_fds(self.ours, [self.nonce.encode()], [self.writing])
        for end in (self.ours, self.theirs):
            end.close()
        os.close(self.writing)

    def take(self, seconds: float) -> None:
        """Reads whatever comes within so many seconds."""
        if not select.select([self.reading], [], [], seconds)[0]:
            return
        try:
            chunk = os.read(self.reading, 1 << 16)
        except BlockingIOError:
            return
        if chunk:
            self.data += chunk[: MOST_BYTES - len(self.data)]
        else:
            time.sleep(seconds)  # every holder has closed it, and the process has yet to end

    def read(self) -> Seen | None:
        before = -1
        while before != len(self.data):
            before = len(self.data)
            self.take(0)
        try:
            seen = json.loads(self.data)
            return seen if hmac.compare_digest(seen["nonce"], self.nonce) else None
        except (ValueError, KeyError, TypeError):
            return None
