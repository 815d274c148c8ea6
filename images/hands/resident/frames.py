"""Frames between the brain and the resident: `u32be length of the rest · u8 kind · u32be call id · payload`."""

from __future__ import annotations

import json
import os
import select
import struct
from collections import deque

from resident.loop import Fiber, Loop, sleep

MAGIC = b"TILTH/1\n"
MAGIC_WITHIN = 64 * 1024
MAX_FRAME = 1024 * 1024
FRAME = struct.Struct("!IBI")
CALL, DATA_IN, END, CANCEL, PING = 1, 2, 3, 4, 5
HELLO, RESULT, DATA, PONG = 16, 17, 18, 19
# the kinds of a stream, the same both ways; the resident opens one for each connection to its listener
OPEN, BYTES, CREDIT, FINISH, ABANDON = 32, 33, 34, 35, 36

CHUNK = 64 * 1024
# bytes under way on one stream, each way
STREAM_WINDOW = 256 * 1024
OUTBOX_LIMIT = 1024 * 1024

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import Kinds, Magic, Sizes

    # the brain has the same, or the type checker objects
    magic: Magic = MAGIC
    sizes: Sizes = {"frame": MAX_FRAME, "window": STREAM_WINDOW}
    kinds: Kinds = {
        "call": CALL,
        "data": DATA_IN,
        "end": END,
        "cancel": CANCEL,
        "ping": PING,
        "hello": HELLO,
        "result": RESULT,
        "output": DATA,
        "pong": PONG,
        "open": OPEN,
        "bytes": BYTES,
        "credit": CREDIT,
        "finish": FINISH,
        "abandon": ABANDON,
    }


class Outbox:
    """Frames on their way to the brain. Whoever sends much asks `full` first, so a brain that does not read stops the
    source instead of growing the resident."""

    def __init__(self, loop: Loop, fd: int) -> None:
        self.loop = loop
        self.fd = fd
        self.queue: deque[bytes | memoryview] = deque()
        self.size = 0
        self.waiters: set[Fiber] = set()
        self.writer = loop.start(self.write())

    def send(self, kind: int, call_id: int, payload: bytes = b"") -> None:
        self.queue.append(FRAME.pack(5 + len(payload), kind, call_id))
        if payload:
            self.queue.append(payload)
        self.size += FRAME.size + len(payload)
        self.flush()

    def send_json(self, kind: int, call_id: int, value: object) -> None:
        self.send(kind, call_id, json.dumps(value, separators=(",", ":")).encode())

    async def send_data(self, call_id: int, data: bytes) -> None:
        for start in range(0, len(data), CHUNK):
            while self.full():
                await sleep()
            self.send(DATA, call_id, data[start : start + CHUNK])

    def full(self, limit: int = OUTBOX_LIMIT) -> bool:
        """When it is, the asking fiber is woken as soon as it may be otherwise."""
        if self.size < limit:
            return False
        self.waiters.add(self.loop.running())
        return True

    def flush(self) -> None:
        while self.queue:
            try:
                self.drop(os.writev(self.fd, [self.queue[i] for i in range(min(len(self.queue), 64))]))
            except BlockingIOError:
                self.loop.wake(self.writer)
                return
            except OSError:
                os._exit(0)

    def drop(self, written: int) -> None:
        self.size -= written
        while written:
            first = self.queue.popleft()
            if len(first) > written:
                self.queue.appendleft(memoryview(first)[written:])
                return
            written -= len(first)

    async def write(self) -> None:
        while True:
            await sleep({self.fd: select.POLLOUT} if self.queue else None)
            self.flush()
            if self.size < OUTBOX_LIMIT:
                waiters, self.waiters = self.waiters, set()
                for fiber in waiters:
                    self.loop.wake(fiber)
