"""The zygote of a check container: a program that forks a child for each payload."""

from __future__ import annotations

import array
import json
import os
import select
import socket
import struct
import time

from resident.calls import Refusal
from resident.frames import CHUNK, MAX_FRAME
from resident.loop import Fiber
from resident.pipes import SIDE_OUTPUT, Bounded, Outputs
from resident.processes import Child
from resident.sweep import Sweeper, standing

ZYGOTE_FD = 3
ZYGOTE_START_SECONDS = 60.0
PREFIX = struct.Struct("!I")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from resident.wire import ZygoteReady, ZygoteReply


class Zygote:
    """A program that has its imports done and forks a child per payload. It outlives commands, and so must be as far
    out of their reach as the resident: that is its own doing."""

    def __init__(self, sweeper: Sweeper, argv: list[str], env: dict[str, str]) -> None:
        self.sweeper = sweeper
        self.processes = sweeper.processes
        self.argv = argv
        self.env = {**env, "TILTH_ZYGOTE_FD": str(ZYGOTE_FD)}
        self.child: Child | None = None
        self.socket: socket.socket | None = None
        self.buffer = bytearray()
        self.standing: tuple[object, ...] | None = None

    def alive(self) -> bool:
        return self.socket is not None and self.child is not None and self.child.status is None

    def events(self, events: int) -> dict[int, int]:
        """Its socket, to sleep on."""
        return {} if self.socket is None else {self.socket.fileno(): events}

    def wake_at_end(self, fiber: Fiber) -> None:
        if self.child is not None:
            self.child.fiber = fiber

    async def start(self) -> ZygoteReply:
        """Gives its ready message, and its process."""
        self.close()
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        said = Bounded(0, SIDE_OUTPUT)
        outputs = Outputs()
        try:
            writer = outputs.pipe(said)
            try:
                fds = {1: writer, 2: writer, ZYGOTE_FD: theirs.fileno()}
                self.child = child = self.processes.spawn(self.argv, self.env, "/", fds)
            finally:
                os.close(writer)
                theirs.close()
            self.processes.spare(child)
            return await self.read_ready(child, outputs, said)
        except BaseException:
            await self.kill()
            raise
        finally:
            outputs.close()

    async def read_ready(self, child: Child, outputs: Outputs, said: Bounded) -> ZygoteReply:
        deadline = time.monotonic() + ZYGOTE_START_SECONDS
        while self.alive() and time.monotonic() < deadline:
            await outputs.pump(deadline, also=self.events(select.POLLIN))
            ready: ZygoteReady | None = self.message()
            if ready is not None:
                self.standing = standing(child.pid)
                return {**ready, "pid": child.pid}
        await self.kill()
        await outputs.drain()
        raise Refusal("zygote_lost", f"The zygote did not start: {said.text().strip() or 'it said nothing'}")

    def message(self) -> Any:
        """A whole message, if one is there."""
        try:
            data = b"" if self.socket is None else self.socket.recv(CHUNK)
        except BlockingIOError:
            data = None
        except OSError:
            data = b""
        if data == b"":
            self.close()
        self.buffer += data or b""
        if len(self.buffer) < 4:
            return None
        (length,) = PREFIX.unpack_from(self.buffer)
        if length > MAX_FRAME:
            raise Refusal("zygote_lost", "The zygote does not keep to its protocol.")
        if len(self.buffer) < 4 + length:
            return None
        message = json.loads(self.buffer[4 : 4 + length])
        del self.buffer[: 4 + length]
        return message

    async def send(
        self, payload: bytes, fds: list[int], deadline: float, pump: Callable[..., Awaitable[object]]
    ) -> bool:
        """The descriptors travel with the first byte. False when it was not all taken in time."""
        connection, left = self.socket, memoryview(payload)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
        while left and connection is not None:
            try:
                left = left[connection.sendmsg([left], ancillary) :]
                ancillary = []
            except BlockingIOError:
                if not self.alive() or time.monotonic() >= deadline:
                    return False
                await pump(deadline, also=self.events(select.POLLOUT))
            except OSError:
                return False
        return not left

    def unharmed(self) -> bool:
        return self.child is not None and self.alive() and standing(self.child.pid) == self.standing

    async def kill(self) -> None:
        if self.child is not None:
            self.processes.spared.pop(self.child.pid, None)
        await self.sweeper.sweep()

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None
        self.buffer.clear()
