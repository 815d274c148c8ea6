"""Pipes between the resident and the programs it starts: who takes their output, and where their input comes from."""

from __future__ import annotations

import os
import select

from resident.calls import Call
from resident.frames import CHUNK, DATA, Outbox
from resident.loop import sleep

SIDE_OUTPUT = 8 * 1024


class Taker:
    """Takes the output of a program, as long as it is ready to."""

    def ready(self) -> bool:
        return True

    def add(self, data: bytes) -> None:
        raise NotImplementedError


class Bounded(Taker):
    """Head and tail of a stream; the middle is counted and dropped as it comes."""

    def __init__(self, head: int, tail: int) -> None:
        self.head_limit = head
        self.tail_limit = tail
        self.head = bytearray()
        self.tail = bytearray()
        self.omitted = 0

    def add(self, data: bytes) -> None:
        free = self.head_limit - len(self.head)
        if free > 0:
            self.head += data[:free]
            data = data[free:]
        self.tail += data
        if len(self.tail) > 2 * self.tail_limit + CHUNK:
            self.trim()

    def trim(self) -> None:
        extra = len(self.tail) - self.tail_limit
        if extra > 0:
            del self.tail[:extra]
            self.omitted += extra

    def end(self) -> Bounded:
        self.trim()
        return self

    def text(self) -> str:
        self.trim()
        if not self.omitted:
            return (self.head + self.tail).decode("utf-8", "replace")
        head, tail = self.head.decode("utf-8", "replace"), self.tail.decode("utf-8", "replace")
        return f"{head}\n[{self.omitted} bytes left out]\n{tail}"


class Streamed(Taker):
    """Bytes that go to the brain as they come, no faster than it takes them."""

    def __init__(self, outbox: Outbox, call_id: int, limit: int | None = None) -> None:
        self.outbox = outbox
        self.call_id = call_id
        self.left = limit
        self.cut = False

    def ready(self) -> bool:
        return not self.outbox.full()

    def add(self, data: bytes) -> None:
        if self.left is not None:
            self.cut = self.cut or len(data) > self.left
            data = data[: self.left]
            self.left -= len(data)
        if data:
            self.outbox.send(DATA, self.call_id, data)


class Feed:
    """The input of a call on its way into a program."""

    def __init__(self, call: Call, fd: int) -> None:
        self.call = call
        self.fd: int | None = fd
        self.pending: bytes | memoryview = b""
        os.set_blocking(fd, False)

    def wants(self) -> dict[int, int]:
        if self.fd is None:
            self.call.discard()
            return {}
        if not self.pending and self.call.inbox:
            self.pending = memoryview(self.call.take())
        if not self.pending and self.call.ended:
            self.close()
            return {}
        return {self.fd: select.POLLOUT} if self.pending else {}

    def push(self, fd: int) -> None:
        try:
            self.pending = self.pending[os.write(fd, self.pending) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.close()

    def close(self) -> None:
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None


def read_some(fd: int, size: int = CHUNK) -> bytes | None:
    """b"" at the end of the stream, None when there is nothing now."""
    try:
        return os.read(fd, size)
    except BlockingIOError:
        return None


class Outputs:
    """Pipes that programs write to, and who takes their output."""

    def __init__(self) -> None:
        self.takers: dict[int, Taker] = {}

    def pipe(self, taker: Taker) -> int:
        """The end to give away; the caller closes it. Our own end never blocks."""
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        self.takers[reader] = taker
        return writer

    async def pump(self, deadline: float, feed: Feed | None = None, also: dict[int, int] | None = None) -> set[int]:
        """Moves all that can be moved now, or sleeps. Gives the other descriptors that were ready."""
        fds = {fd: select.POLLIN for fd, taker in self.takers.items() if taker.ready()}
        if feed is not None:
            fds.update(feed.wants())
        fds.update(also or {})
        ready = await sleep(fds, deadline)
        for fd in ready & self.takers.keys():
            data = read_some(fd)
            if data:
                self.takers[fd].add(data)
            elif data == b"":
                del self.takers[fd]
                os.close(fd)
        if feed is not None and feed.fd is not None and feed.fd in ready:
            feed.push(feed.fd)
        return ready

    async def drain(self) -> None:
        """Takes all that is in the pipes. No wait for their end: a descriptor may have travelled to who knows where."""
        for fd, taker in self.takers.items():
            while data := read_some(fd):
                while not taker.ready():
                    await sleep()
                taker.add(data)

    def close(self) -> None:
        while self.takers:
            os.close(self.takers.popitem()[0])
