"""Runs a program with everything it starts, bounds its output, and sees the end of all of it."""

from __future__ import annotations

import os
import time

from resident.calls import Call
from resident.disk import Disk
from resident.disk_watch import Watch
from resident.frames import Outbox
from resident.pipes import SIDE_OUTPUT, Bounded, Feed, Outputs, Streamed, Taker
from resident.processes import Child
from resident.sweep import LINGER, Sweeper, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resident.wire import CommandEnd, ExecArgs, ExecReply, Nothing, StreamArgs, StreamReply

TRUSTED_ENV = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


class Command:
    """A program, everything it starts, and the end of all of it."""

    def __init__(
        self, sweeper: Sweeper, stdout: Taker, stderr: Taker, call: Call | None = None, watch: Watch | None = None
    ) -> None:
        self.sweeper = sweeper
        self.watch = watch
        self.outputs = Outputs()
        self.stdout = stdout
        self.stderr = stderr
        self.call = call
        self.exit: int | None = None
        self.signal: str | None = None
        self.timed_out = False
        self.killed: list[str] = []
        self.ms = 0

    async def run(self, argv: list[str], env: dict[str, str], cwd: str, seconds: float) -> Command:
        started = time.monotonic()
        feed = None
        try:
            child, feed = self.start(argv, env, cwd)
            ended = await self.attend(child, feed, started + seconds)
            self.timed_out = not ended and not self.filled
            self.killed = await self.sweeper.sweep(LINGER if ended else 0.0, child.pid)
            await self.outputs.drain()
        finally:
            self.outputs.close()
            if feed is not None:
                feed.close()
        self.exit, self.signal = child.ending()
        self.ms = round((time.monotonic() - started) * 1000)
        return self

    def start(self, argv: list[str], env: dict[str, str], cwd: str) -> tuple[Child, Feed | None]:
        writer = self.outputs.pipe(self.stdout)
        fds = {1: writer, 2: writer if self.stderr is self.stdout else self.outputs.pipe(self.stderr)}
        ours = None
        if self.call is not None:
            fds[0], ours = os.pipe()
        try:
            child = self.sweeper.processes.spawn(argv, env, cwd, fds)
        except BaseException:
            if ours is not None:
                os.close(ours)
            raise
        finally:
            for fd in set(fds.values()):
                os.close(fd)
        return child, None if self.call is None or ours is None else Feed(self.call, ours)

    async def attend(self, child: Child, feed: Feed | None, deadline: float) -> bool:
        """Waits for the process, not for the end of its output; False when the deadline or a full disk came first."""
        watch = self.watch
        while child.status is None:
            if time.monotonic() >= deadline or (watch is not None and watch.stops()):
                return False
            await self.outputs.pump(deadline if watch is None else min(deadline, watch.next), feed)
        return True

    @property
    def filled(self) -> bool:
        return self.watch is not None and self.watch.full is not None


async def run_trusted(sweeper: Sweeper, argv: list[str], cwd: str, env: dict[str, str]) -> tuple[int | None, str]:
    """A program of the image with arguments of ours; gives (exit code, standard error)."""
    out, err = Bounded(SIDE_OUTPUT, SIDE_OUTPUT), Bounded(SIDE_OUTPUT, SIDE_OUTPUT)
    command = await Command(sweeper, out, err).run(argv, {**TRUSTED_ENV, **env}, cwd, 600)
    return command.exit, err.text()


class Commands:
    """The operations `exec` and `quiet`."""

    def __init__(self, outbox: Outbox, sweeper: Sweeper, disk: Disk) -> None:
        self.outbox = outbox
        self.sweeper = sweeper
        self.disk = disk

    async def execute(self, call: Call, args: ExecArgs | StreamArgs) -> ExecReply | StreamReply:
        if args["output"] == "merged":
            out = Bounded(args["head"], args["tail"])
            ending = await self.run(call, args, out, out)
            await self.outbox.send_data(call.id, bytes(out.end().head))
            await self.outbox.send_data(call.id, bytes(out.tail))
            return {**ending, "head": len(out.head), "tail": len(out.tail), "omitted": out.omitted}
        err = Bounded(SIDE_OUTPUT, SIDE_OUTPUT)
        ending = await self.run(call, args, Streamed(self.outbox, call.id), err)
        return {**ending, "stderr": err.text()}

    async def run(self, call: Call, args: ExecArgs | StreamArgs, out: Taker, err: Taker) -> CommandEnd:
        seconds, disk_bytes = args["timeout_ms"] / 1000, args["disk_bytes"]
        async with Turn(self.sweeper, call):
            fed = call if args["stdin"] else None
            watch = Watch(self.disk, disk_bytes) if disk_bytes else None
            command = Command(self.sweeper, out, err, fed, watch)
            await command.run(args["argv"], args["env"], args["cwd"], seconds)
            full = None if watch is None else await watch.outcome()
        return {
            "exit": command.exit,
            "signal": command.signal,
            "timed_out": command.timed_out,
            "killed": command.killed,
            "ms": command.ms,
            "full": full,
        }

    async def quiet(self, call: Call, _: Nothing) -> Nothing:
        """For whoever must know that nothing runs, before he believes the worktree."""
        async with Turn(self.sweeper, call):
            return {}
