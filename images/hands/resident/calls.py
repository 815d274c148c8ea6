"""One request of the brain, the bytes that follow it, and how it is refused."""

from __future__ import annotations

from collections import deque

from resident.loop import Fiber, Loop, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from resident.wire import RefusalCode

INPUT_LIMIT = 16 * 1024 * 1024
WHOLE_INPUT_LIMIT = 64 * 1024 * 1024


class Refusal(Exception):
    """An operation could not do what was asked."""

    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(message)
        self.code: RefusalCode = code


class Arguments(dict[str, object]):
    """The fields of a call; to leave one out is the brain's mistake."""

    def __missing__(self, name: str) -> object:
        raise Refusal("usage", f"The call has no {name}.")


class PendingInput:
    """Counts the bytes that calls were sent and have not taken yet. While they are too many, nothing is read from the
    brain."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.held = 0
        self.reader: Fiber | None = None

    def too_much(self) -> bool:
        return self.held > INPUT_LIMIT

    def release(self, size: int) -> None:
        before, self.held = self.held, self.held - size
        if self.held <= INPUT_LIMIT < before:
            self.loop.wake(self.reader)


class Call:
    def __init__(self, loop: Loop, pending: PendingInput, call_id: int, args: dict[str, object]) -> None:
        self.loop = loop
        self.pending = pending
        self.id = call_id
        self.op = ""
        # each operation knows the types of its own
        self.args: Any = Arguments(args)
        self.fiber: Fiber | None = None
        self.inbox: deque[bytes] = deque()
        self.ended = False
        self.cancelled = False
        self.swept = True

    def receive(self, data: bytes) -> None:
        self.inbox.append(data)
        self.pending.held += len(data)
        self.loop.wake(self.fiber)

    def take(self) -> bytes:
        data = self.inbox.popleft()
        self.pending.release(len(data))
        return data

    def end(self) -> None:
        self.ended = True
        self.loop.wake(self.fiber)

    def discard(self) -> None:
        while self.inbox:
            self.take()

    async def whole_input(self) -> bytes:
        data = bytearray()
        while self.inbox or not self.ended:
            if not self.inbox:
                await sleep()
                continue
            data += self.take()
            if len(data) > WHOLE_INPUT_LIMIT:
                raise Refusal("usage", f"{self.op}: more than {WHOLE_INPUT_LIMIT} bytes of input.")
        return bytes(data)
