"""Kills everything that a call has started, and sees that it is dead before the call is answered."""

from __future__ import annotations

import os
import resource
import signal
import time

from resident.calls import Call, Refusal
from resident.loop import Loop, Shield, sleep
from resident.paths import LIST, printable
from resident.processes import Processes, send_signal

LINGER = 0.03  # time for a finished command's own helpers (`> >(tee log)`) to end by themselves
GRACE = 0.05
GIT_GRACE = 0.3  # git drops its locks on SIGTERM; killed at once it strands them
UNKILLABLE_AFTER = 10.0
CENSUS_LIMIT = 20
CROWD = 64


class Sweeper:
    """Every process of the container descends from the resident, so a resident without children is alone."""

    def __init__(self, loop: Loop, processes: Processes) -> None:
        self.loop = loop
        self.processes = processes
        self.turn: Turn | None = None
        self.standing = standing(0)
        # held open: when it is needed, a command may have opened all that the machine lets anybody open
        self.proc = os.open("/proc", LIST)

    async def sweep(self, linger: float = 0.0, expected: int | None = None) -> list[str]:
        """When this returns, everything but the resident and its spared programs is dead: a sweep that cannot be finished
        ends the container, and everything with it. Gives the census of all that had to be killed, `expected` left out."""
        try:
            killed = await self.kill_strays(linger, expected) if self.strays() else []
            unharmed = standing(0) == self.standing
        except SystemExit:
            raise
        except BaseException as error:
            raise SystemExit(f"it could not be seen whether everything of a command is dead: {error!r}") from error
        # the seccomp profile forbids it; this is for an engine that applies another
        if not unharmed:
            raise SystemExit("a command changed the limits or the priority of the resident")
        return killed

    def strays(self) -> list[int]:
        """Processes that are neither the resident nor spared."""
        if not self.processes.reap():
            return []
        pids = [int(name) for name in os.listdir(self.proc) if name.isdigit()]
        return [pid for pid in pids if pid != 1 and pid not in self.processes.spared]

    async def kill_strays(self, linger: float, expected: int | None) -> list[str]:
        with Shield(self.loop):
            if linger and await self.gone_within(linger):
                return []
            strays = self.freeze()
            described = [(pid, describe(pid)) for pid in strays[:CROWD]]
            # a crowd is no command with children: it gets no time to become a larger one
            if len(strays) <= CROWD and any(line for _, line in described):
                await self.terminate(strays, any(line and line.startswith("git") for _, line in described))
            await self.kill_until_gone()
        lines = [f"{pid} {line}" for pid, line in described if line and pid != expected]
        more = len(lines) + len(strays) - len(described) - CENSUS_LIMIT
        return lines if more <= 0 else [*lines[:CENSUS_LIMIT], f"and {more} more"]

    def freeze(self) -> list[int]:
        """One kill(-1) reaches every process between two forks of any of them: nobody can outrun the kills that follow."""
        send_signal(-1, signal.SIGSTOP)
        return self.strays()

    async def gone_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        fiber, waiters = self.loop.running(), self.processes.waiters
        waiters.add(fiber)
        try:
            while self.strays():
                if time.monotonic() >= deadline:
                    return False
                await sleep(None, deadline)
            return True
        finally:
            waiters.discard(fiber)

    async def terminate(self, strays: list[int], holds_locks: bool) -> None:
        for pid in strays:
            send_signal(pid, signal.SIGTERM)
            send_signal(pid, signal.SIGCONT)
        await self.gone_within(GIT_GRACE if holds_locks else GRACE)

    async def kill_until_gone(self) -> None:
        started = time.monotonic()
        while strays := self.freeze():
            for pid in strays:
                send_signal(pid, signal.SIGKILL)
            self.thaw()
            if await self.gone_within(0.1):
                break
            if time.monotonic() - started > UNKILLABLE_AFTER:
                raise SystemExit("something in the container cannot be killed")
        self.thaw()

    def thaw(self) -> None:
        for pid in self.processes.spared:
            send_signal(pid, signal.SIGCONT)


class Turn:
    """Belongs to a call that runs programs: one has it at a time. It is over when they are seen dead, whatever came of the
    call, and only then does the call's answer say so."""

    def __init__(self, sweeper: Sweeper, call: Call) -> None:
        self.sweeper = sweeper
        self.call = call

    async def __aenter__(self) -> None:
        if self.sweeper.turn is not None:
            raise Refusal("busy", "Another command is running.")
        self.sweeper.turn = self
        self.call.swept = False

    async def __aexit__(self, *_: object) -> None:
        await self.sweeper.sweep()
        self.call.swept = True
        self.sweeper.turn = None


class NoTurn:
    """Stands in for it where nothing will run."""

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *_: object) -> None:
        pass


def standing(pid: int) -> tuple[object, ...]:
    """Everything about a process that another one of the same uid can change: limits, priority, scheduling, cores."""
    limits = [resource.prlimit(pid, limit) for limit in range(16)]
    return limits, os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid), os.sched_getaffinity(pid)


def describe(pid: int) -> str | None:
    """`comm args`, or None for one that is gone or only waits to be reaped."""
    try:
        comm, _, rest = read_proc(pid, "stat", 512).partition(b"(")[2].rpartition(b")")
        fields = rest.split()
        if fields[0] == b"Z" and int(fields[17]) <= 1:  # a leader may be dead and its threads alive
            return None
        args = read_proc(pid, "cmdline", 160).replace(b"\0", b" ").strip()
    except OSError:
        return None
    return printable(comm + b" " + args)


def read_proc(pid: int, name: str, limit: int) -> bytes:
    fd = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, limit)
    finally:
        os.close(fd)
