"""The operation `listen`: bytes of connections from inside the container, carried to the brain and back."""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from collections import deque

from resident.calls import Call
from resident.frames import ABANDON, BYTES, CHUNK, CREDIT, FINISH, OPEN, STREAM_WINDOW, Outbox
from resident.loop import Fiber, Loop, sleep
from resident.pipes import read_some

STREAMS_AT_ONCE = 64
STREAM_SHARE = 128 * 1024  # part of the outbox; more would delay the answer to a tool call
CREDITED = struct.Struct("!I")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import ListenReply, Nothing


class Stream:
    """A connection from inside the container, and its bytes in frames to and from the brain, as many as either has room for."""

    def __init__(self, streams: Streams, number: int, connection: socket.socket) -> None:
        self.streams = streams
        self.outbox = streams.outbox
        self.number = number
        self.connection = connection
        self.fd = connection.fileno()
        self.inbox: deque[memoryview] = deque()
        self.credit = STREAM_WINDOW
        self.sends = self.receives = self.answers = True
        self.fiber: Fiber | None = None

    async def run(self) -> None:
        self.fiber = self.streams.loop.current
        self.outbox.send(OPEN, self.number)
        try:
            while self.sends or self.receives or self.inbox:
                ready = await sleep(self.wants())
                if self.fd in ready:
                    self.push()
                    self.pull()
                self.finish()
        except OSError:
            # whoever is at the other end may tear it down at any moment
            self.outbox.send(ABANDON, self.number)
        finally:
            self.connection.close()
            self.streams.close(self.number)

    def wants(self) -> dict[int, int]:
        events = select.POLLOUT if self.inbox else 0
        if self.may_send():
            events |= select.POLLIN
        return {self.fd: events} if events else {}

    def may_send(self) -> bool:
        return self.sends and self.credit > 0 and not self.outbox.full(STREAM_SHARE)

    def pull(self) -> None:
        if not self.may_send():
            return
        data = read_some(self.fd, min(CHUNK, self.credit))
        if data:
            self.credit -= len(data)
            self.outbox.send(BYTES, self.number, data)
        elif data == b"":
            self.sends = False
            self.outbox.send(FINISH, self.number)

    def push(self) -> None:
        written = 0
        while self.inbox:
            try:
                count = os.write(self.fd, self.inbox[0])
            except BlockingIOError:
                break
            written += count
            rest = self.inbox.popleft()[count:]
            if rest:
                self.inbox.appendleft(rest)
        if written:
            self.outbox.send(CREDIT, self.number, CREDITED.pack(written))

    def finish(self) -> None:
        if self.answers and not self.inbox and not self.receives:
            self.answers = False
            self.connection.shutdown(socket.SHUT_WR)

    def receive(self, kind: int, payload: bytes) -> None:
        if kind == BYTES:
            self.inbox.append(memoryview(payload))
        elif kind == CREDIT:
            self.credit += CREDITED.unpack(payload)[0]
        elif kind == FINISH:
            self.receives = False
        else:
            self.sends = self.receives = False
            self.inbox.clear()
        self.streams.loop.wake(self.fiber)


class Streams:
    """The way out of a container that has no network: a listener on its loopback, for which the brain answers."""

    def __init__(self, loop: Loop, outbox: Outbox) -> None:
        self.loop = loop
        self.outbox = outbox
        self.open: dict[int, Stream] = {}
        self.opened = 0
        self.listener: socket.socket | None = None
        self.accepting: Fiber | None = None

    async def listen(self, call: Call, _: Nothing) -> ListenReply:
        if self.listener is None:
            self.listener = socket.socket(
                socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
            )
            self.listener.bind(("127.0.0.1", 0))
            self.listener.listen(STREAMS_AT_ONCE)
            self.accepting = self.loop.start(self.accept(self.listener))
        return {"port": self.listener.getsockname()[1]}

    async def accept(self, listener: socket.socket) -> None:
        """Connections beyond the bound wait where the kernel keeps them."""
        while True:
            while len(self.open) >= STREAMS_AT_ONCE:
                await sleep()
            await sleep({listener.fileno(): select.POLLIN})
            try:
                connection, _ = listener.accept()
            except BlockingIOError:
                continue
            except OSError:
                await sleep(None, time.monotonic() + 0.05)
                continue
            connection.setblocking(False)
            self.opened += 1
            self.open[self.opened] = stream = Stream(self, self.opened, connection)
            self.loop.start(stream.run())

    def close(self, number: int) -> None:
        del self.open[number]
        self.loop.wake(self.accepting)

    def receive(self, kind: int, number: int, payload: bytes) -> None:
        stream = self.open.get(number)
        if stream is not None:
            stream.receive(kind, payload)
