"""The channel to the brain: reads its frames, starts its calls, and answers each of them once."""

from __future__ import annotations

import json
import os
import select
import sys
import time

from resident.calls import Call, PendingInput, Refusal
from resident.frames import (
    ABANDON,
    BYTES,
    CALL,
    CANCEL,
    CREDIT,
    DATA_IN,
    END,
    FINISH,
    FRAME,
    HELLO,
    MAGIC,
    MAGIC_WITHIN,
    MAX_FRAME,
    PING,
    PONG,
    RESULT,
    Outbox,
)
from resident.loop import Cancelled, Loop, sleep
from resident.operations import Operations
from resident.pipes import read_some
from resident.processes import Processes
from resident.sweep import Sweeper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from resident.wire import Done, Hello, RefusalCode, Refused


class Channel:
    """`lease`: the seconds of silence after which the brain is taken for dead."""

    def __init__(self, stdin: int, stdout: int, stderr: int, oom_fd: int, lease: float) -> None:
        self.loop = Loop()
        self.stdin = stdin
        self.stderr = stderr
        self.lease = lease
        self.buffer = bytearray()
        self.pending = PendingInput(self.loop)
        self.calls: dict[int, Call] = {}
        self.outbox = Outbox(self.loop, stdout)
        sweeper = Sweeper(self.loop, Processes(self.loop, oom_fd))
        self.operations = Operations(self.loop, self.outbox, sweeper)

    def run(self) -> None:
        self.pending.reader = self.loop.start(self.listen())
        self.loop.run()

    async def listen(self) -> None:
        await self.find_magic()
        hello: Hello = {"protocol": 1, "pid": os.getpid(), "python": sys.version.split()[0]}
        self.outbox.send_json(HELLO, 0, hello)
        while True:
            while len(self.buffer) >= FRAME.size:
                length, kind, call_id = FRAME.unpack_from(self.buffer)
                if not 5 <= length <= MAX_FRAME:
                    raise SystemExit(f"a frame of {length} bytes")
                if len(self.buffer) < 4 + length:
                    break
                payload = bytes(self.buffer[FRAME.size : 4 + length])
                del self.buffer[: 4 + length]
                self.receive(kind, call_id, payload)
            while self.pending.too_much():
                await sleep()
            await self.read_more()

    async def find_magic(self) -> None:
        """Bytes before it are the engine's: podman puts its request body there."""
        while (at := self.buffer.find(MAGIC)) < 0:
            if len(self.buffer) > MAGIC_WITHIN:
                raise SystemExit("no tilth at the other end")
            await self.read_more()
        del self.buffer[: at + len(MAGIC)]

    async def read_more(self) -> None:
        """A stopped brain sends no end of file, so silence ends the resident too."""
        if not await sleep({self.stdin: select.POLLIN}, time.monotonic() + self.lease):
            raise SystemExit("the brain has been silent for too long")
        data = read_some(self.stdin, 256 * 1024)
        if data == b"":
            os._exit(0)
        self.buffer += data or b""

    def receive(self, kind: int, call_id: int, payload: bytes) -> None:
        call = self.calls.get(call_id)
        if kind == PING:
            self.outbox.send(PONG, call_id)
        elif kind == CALL:
            self.calls[call_id] = call = Call(self.loop, self.pending, call_id, json.loads(payload))
            self.loop.start(self.serve(call))
        elif kind in (BYTES, CREDIT, FINISH, ABANDON):
            self.operations.receive(kind, call_id, payload)
        elif call is None:
            pass  # it has been answered meanwhile
        elif kind == DATA_IN:
            call.receive(payload)
        elif kind == END:
            call.end()
        elif kind == CANCEL and not call.cancelled and call.fiber is not None:
            call.cancelled = True
            self.loop.cancel(call.fiber)

    async def serve(self, call: Call) -> None:
        call.fiber = self.loop.current
        try:
            result = succeeded(call, await self.operations.perform(call))
        except Refusal as refusal:
            result = refused(call, refusal.code, str(refusal))
        except Cancelled:
            result = refused(call, "cancelled", "Cancelled.")
        except OSError as error:
            result = refused(call, "io", f"{call.op}: {error}.")
        except Exception as bug:
            import traceback

            os.write(self.stderr, traceback.format_exc().encode())
            result = refused(call, "io", f"{call.op}: {type(bug).__name__}: {bug}")
        del self.calls[call.id]
        call.discard()
        self.answer(call, result)

    def answer(self, call: Call, result: Mapping[str, object]) -> None:
        text = json.dumps(result, separators=(",", ":")).encode()
        if len(text) > MAX_FRAME - 5:
            self.outbox.send_json(RESULT, call.id, refused(call, "io", "The result is too large."))
        else:
            self.outbox.send(RESULT, call.id, text)


def succeeded(call: Call, result: Mapping[str, object]) -> Mapping[str, object]:
    """`swept`: nothing that the call has started is alive. The brain takes no answer without it, and no field of a result
    stands in for it."""
    done: Done = {"ok": True, "swept": call.swept}
    return {**result, **done}


def refused(call: Call, code: RefusalCode, message: str) -> Refused:
    return {"ok": False, "code": code, "message": message, "swept": call.swept}
