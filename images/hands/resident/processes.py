"""Starts programs and reaps them. Every process of the container descends from the resident."""

from __future__ import annotations

import errno
import os
import select
import signal
import time

from resident.calls import Refusal
from resident.loop import Fiber, Loop, Shield, sleep
from resident.pipes import read_some


class Child:
    __slots__ = ("pid", "status", "fiber")

    def __init__(self, pid: int, fiber: Fiber) -> None:
        self.pid = pid
        self.status: int | None = None
        self.fiber = fiber

    def ending(self) -> tuple[int | None, str | None]:
        """(exit code, signal name), one of them None."""
        assert self.status is not None
        code = os.waitstatus_to_exitcode(self.status)
        return (code, None) if code >= 0 else (None, signal_name(-code))


class Processes:
    def __init__(self, loop: Loop, oom_fd: int) -> None:
        self.loop = loop
        self.oom_fd = oom_fd
        self.oom_own = os.pread(oom_fd, 16, 0).strip()
        self.children: dict[int, Child] = {}
        # trusted programs that a sweep leaves alive
        self.spared: dict[int, Child] = {}
        # woken whenever a process was reaped
        self.waiters: set[Fiber] = set()
        self.null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        self.signals, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        # a handler and not SIG_IGN, because exec resets handlers and keeps SIG_IGN
        signal.signal(signal.SIGCHLD, do_nothing)
        loop.start(self.reap_for_ever())

    async def reap_for_ever(self) -> None:
        while True:
            await sleep({self.signals: select.POLLIN})
            read_some(self.signals)
            self.reap()

    def reap(self) -> bool:
        """False when no child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self.spared.pop(pid, None)
            child = self.children.pop(pid, None)
            if child is not None:
                child.status = status
                self.loop.wake(child.fiber)
            for fiber in self.waiters:
                self.loop.wake(fiber)

    def spawn(self, argv: list[str], env: dict[str, str], cwd: str, fds: dict[int, int]) -> Child:
        """Starts a program in a session of its own. `fds` maps its descriptors to ours; 0 is /dev/null unless given."""
        program = find_program(argv[0], env)
        actions = [(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in {0: self.null, **fds}.items()]
        try:
            # posix_spawn takes no directory and no OOM score; the child has ours as they are at its vfork
            os.chdir(cwd)
            os.pwrite(self.oom_fd, b"1000", 0)
            defaults = (signal.SIGPIPE, signal.SIGXFSZ)
            pid = os.posix_spawn(
                program, argv, env, file_actions=actions, setsid=True, setsigmask=(), setsigdef=defaults
            )
        except ValueError:
            raise Refusal("tool", "A NUL byte cannot be passed to a program.") from None
        except OSError as error:
            if error.errno == errno.E2BIG:
                raise Refusal("tool", "Too long for a command line (128 KB at most): put it into a file.") from None
            raise Refusal("io", f"{argv[0]} could not be started in {cwd}: {error.strerror}.") from None
        finally:
            os.pwrite(self.oom_fd, self.oom_own, 0)
            os.chdir("/")
        self.children[pid] = child = Child(pid, self.loop.running())
        return child

    def spare(self, child: Child) -> None:
        self.spared[child.pid] = child

    async def kill_one(self, child: Child) -> None:
        """For a trusted program that starts no other."""
        with Shield(self.loop):
            while child.status is None:
                send_signal(child.pid, signal.SIGKILL)
                await sleep(None, time.monotonic() + 0.05)


def do_nothing(*_: object) -> None:
    pass


def find_program(name: str, env: dict[str, str]) -> str:
    if "/" in name:
        return name
    for folder in env.get("PATH", "/usr/bin:/bin").split(":"):
        path = os.path.join(folder or ".", name)
        if os.access(path, os.X_OK):
            return path
    raise Refusal("io", f"{name} is not on the path of the container.")


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def send_signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass
