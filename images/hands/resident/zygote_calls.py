"""The operations `zygote` and `zygote_call`."""

from __future__ import annotations

import json
import os
import select
import time

from resident.calls import Call, Refusal
from resident.frames import Outbox
from resident.loop import Cancelled, Shield
from resident.pipes import Bounded, Outputs, Streamed
from resident.processes import signal_name
from resident.sweep import LINGER, Sweeper, Turn
from resident.zygote import PREFIX, Zygote

REPORT_LIMIT = 64 * 1024 * 1024

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import ZygoteArgs, ZygoteCallArgs, ZygoteCallReply, ZygoteEnd, ZygoteHeader, ZygoteReply


class ZygoteCall:
    """One payload: its report, its output, its end."""

    def __init__(self, sweeper: Sweeper, zygote: Zygote, report: Streamed, output: Bounded) -> None:
        self.sweeper = sweeper
        self.loop = sweeper.loop
        self.zygote = zygote
        self.report = report
        self.output = output
        self.outputs = Outputs()
        self.answer: ZygoteEnd | None = None
        self.timed_out = False
        self.killed: list[str] = []

    async def run(self, payload: object, data: bytes, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        self.zygote.wake_at_end(self.loop.running())
        try:
            try:
                if await self.hand_over(payload, data, deadline):
                    await self.wait_for_answer(deadline)
            except Cancelled:
                await self.settle()
                raise
            except BaseException:
                await self.zygote.kill()
                raise
            self.timed_out = self.answer is None and self.zygote.alive()
            await self.settle()
            await self.outputs.drain()
        finally:
            self.outputs.close()

    async def hand_over(self, payload: object, data: bytes, deadline: float) -> bool:
        fields: ZygoteHeader = {"payload": payload, "input_len": len(data)}
        header = json.dumps(fields, separators=(",", ":")).encode()
        fds = [self.outputs.pipe(self.report), self.outputs.pipe(self.output)]
        try:
            message = PREFIX.pack(len(header)) + header + data
            return await self.zygote.send(message, fds, deadline, self.outputs.pump)
        finally:
            for fd in fds:
                os.close(fd)

    async def wait_for_answer(self, deadline: float) -> None:
        while self.answer is None and self.zygote.alive() and time.monotonic() < deadline:
            await self.outputs.pump(deadline, also=self.zygote.events(select.POLLIN))
            self.answer = self.zygote.message()

    async def settle(self) -> None:
        """Kills everything that the payload left. A zygote that then cannot say how its child ended is killed as well."""
        with Shield(self.loop):
            self.killed = await self.sweeper.sweep(LINGER if self.answer else 0.0)
            if self.answer is None:
                await self.wait_for_answer(time.monotonic() + 1.0)
            if self.answer is None or not self.zygote.unharmed():
                await self.zygote.kill()


class ZygoteCalls:
    def __init__(self, outbox: Outbox, sweeper: Sweeper) -> None:
        self.outbox = outbox
        self.sweeper = sweeper
        self.zygote: Zygote | None = None

    async def start(self, call: Call, args: ZygoteArgs) -> ZygoteReply:
        async with Turn(self.sweeper, call):
            if self.zygote is not None:
                await self.zygote.kill()
            self.zygote = Zygote(self.sweeper, args["argv"], args["env"])
            return await self.zygote.start()

    async def call(self, call: Call, args: ZygoteCallArgs) -> ZygoteCallReply:
        if self.zygote is None:
            raise Refusal("usage", "There is no zygote to call.")
        data = await call.whole_input()
        started = time.monotonic()
        async with Turn(self.sweeper, call):
            restarted = await self.revive(self.zygote)
            report, output = Streamed(self.outbox, call.id, REPORT_LIMIT), Bounded(args["head"], args["tail"])
            work = ZygoteCall(self.sweeper, self.zygote, report, output)
            await work.run(args["payload"], data, args["timeout_ms"] / 1000)
            restarted = await self.revive(self.zygote) or restarted
        if work.answer is None and not work.timed_out:
            raise Refusal("zygote_lost", "The zygote died under the call.")
        end = work.answer
        number = None if end is None else end["signal"]
        return {
            "exit": None if end is None else end["exit"],
            "signal": None if number is None else signal_name(number),
            "timed_out": work.timed_out,
            "died": number is not None and not work.timed_out,
            "report_cut": report.cut,
            "output_head": output.end().head.decode("utf-8", "replace"),
            "output_tail": output.tail.decode("utf-8", "replace"),
            "omitted": output.omitted,
            "killed": work.killed,
            "zygote_restarted": restarted,
            "ms": round((time.monotonic() - started) * 1000),
        }

    async def revive(self, zygote: Zygote) -> bool:
        if zygote.alive():
            return False
        await zygote.start()
        return True
