"""The loop: coroutines that sleep on descriptors and deadlines, one of them at a time."""

from __future__ import annotations

import select
import time
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator


class Cancelled(BaseException):
    """The brain wants no answer any more. Thrown once, where the operation sleeps."""


class Fiber:
    """One coroutine, and the descriptors and the deadline it sleeps on."""

    __slots__ = ("coroutine", "fds", "deadline", "ready", "asleep", "cancelled", "shield")

    def __init__(self, coroutine: Coroutine[Sleep, set[int] | None, object]) -> None:
        self.coroutine = coroutine
        self.fds: dict[int, int] = {}
        self.deadline: float | None = None
        self.ready: set[int] | None = None
        self.asleep = False
        self.cancelled = False
        self.shield = 0


class Sleep:
    __slots__ = ("fds", "deadline")

    def __init__(self, fds: dict[int, int], deadline: float | None) -> None:
        self.fds = fds
        self.deadline = deadline

    def __await__(self) -> Generator[Sleep, set[int], set[int]]:
        return (yield self)


def sleep(fds: dict[int, int] | None = None, deadline: float | None = None) -> Sleep:
    """Until a descriptor of `fds` (descriptor -> events) is ready, the deadline passes or somebody wakes the fiber.
    Gives the set of ready descriptors."""
    return Sleep(fds or {}, deadline)


def breathe() -> Sleep:
    """Lets everybody else have a turn."""
    return Sleep({}, 0.0)


class Loop:
    def __init__(self) -> None:
        # not epoll: how much of that a user may watch is one sum over all of the uid, and a command could use it up
        self.poller = select.poll()
        self.by_fd: dict[int, Fiber] = {}
        self.asleep: set[Fiber] = set()
        self.runnable: deque[Fiber] = deque()
        self.current: Fiber | None = None

    def start(self, coroutine: Coroutine[Sleep, set[int] | None, object]) -> Fiber:
        """Runs it at once, up to its first sleep."""
        fiber = Fiber(coroutine)
        starter, self.current = self.current, fiber
        self.resume(fiber)
        self.current = starter
        return fiber

    def running(self) -> Fiber:
        """The fiber that asks."""
        assert self.current is not None
        return self.current

    def run(self) -> None:
        while True:
            while self.runnable:
                self.current = self.runnable.popleft()
                self.resume(self.current)
            self.poll()

    def resume(self, fiber: Fiber) -> None:
        try:
            if fiber.cancelled and not fiber.shield:
                fiber.cancelled = False
                request = fiber.coroutine.throw(Cancelled())
            else:
                request = fiber.coroutine.send(fiber.ready)
        except StopIteration:
            return
        fiber.ready = set()
        fiber.fds = request.fds
        fiber.deadline = request.deadline
        fiber.asleep = True
        self.asleep.add(fiber)
        for fd, events in request.fds.items():
            self.by_fd[fd] = fiber
            self.poller.register(fd, events)

    def wake(self, fiber: Fiber | None) -> None:
        if fiber is None or not fiber.asleep:
            return
        fiber.asleep = False
        self.asleep.discard(fiber)
        for fd in fiber.fds:
            self.poller.unregister(fd)
            del self.by_fd[fd]
        self.runnable.append(fiber)

    def poll(self) -> None:
        deadlines = [fiber.deadline for fiber in self.asleep if fiber.deadline is not None]
        timeout = max(0.0, min(deadlines) - time.monotonic()) * 1000 if deadlines else None
        woken: list[Fiber] = []
        for fd, _ in self.poller.poll(timeout):
            fiber = self.by_fd[fd]
            if fiber.ready is not None:
                fiber.ready.add(fd)
            woken.append(fiber)
        now = time.monotonic()
        woken += [fiber for fiber in self.asleep if fiber.deadline is not None and fiber.deadline <= now]
        for fiber in woken:
            self.wake(fiber)

    def cancel(self, fiber: Fiber) -> None:
        fiber.cancelled = True
        if not fiber.shield:
            self.wake(fiber)


class Shield:
    """A block that cannot be cancelled half-way: killing and cleaning up."""

    def __init__(self, loop: Loop) -> None:
        self.fiber = loop.running()

    def __enter__(self) -> None:
        self.fiber.shield += 1

    def __exit__(self, *_: object) -> None:
        self.fiber.shield -= 1
