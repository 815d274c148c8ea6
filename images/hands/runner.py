"""The resident runner: process 1 of every container, spoken to in frames over its standard input and output.

Everything else in the container is hostile and has the runner's own uid. What keeps the runner out of its reach: it is
process 1 (no signal from inside can end or stop it, and kill(-1) spares it), it is undumpable before it reads its first
byte (so nobody opens its descriptors or memory), and its pipes are close-on-exec. One thread, one loop: operations are
coroutines that sleep on descriptors, so pings, cancels and file work are served while a command runs.
"""

import array
import ctypes
import errno
import fcntl
import fnmatch
import json
import os
import re
import resource
import select
import signal
import socket
import stat
import struct
import sys
import time
from collections import deque

WORKSPACE = b"/workspace"
ENVIRONMENT = b"/opt/tilth/env"
REPO = "/repo"
HOME = "/home/tilth"
SCRATCH_GIT = HOME + "/.scratch.git"
CHECKOUT_GIT = "/tmp/.checkout.git"
WIPED = ("/tmp", HOME, "/dev/shm", "/dev/mqueue")
GIT = "/usr/bin/git"
RG = "/usr/bin/rg"

PROTOCOL = 1
MAGIC = b"TILTH/1\n"
MAGIC_WITHIN = 64 * 1024
MAX_FRAME = 1024 * 1024
FRAME = struct.Struct("!IBI")
PREFIX = struct.Struct("!I")
CALL, DATA_IN, END, CANCEL, PING = 1, 2, 3, 4, 5
HELLO, RESULT, DATA, PONG = 16, 17, 18, 19
# of a stream, the same both ways; the runner opens one for each connection to its listener
OPEN, BYTES, CREDIT, FINISH, ABANDON = 32, 33, 34, 35, 36

CHUNK = 64 * 1024
OUTBOX_LIMIT = 1024 * 1024
INPUT_LIMIT = 16 * 1024 * 1024
WHOLE_INPUT_LIMIT = 64 * 1024 * 1024
REPORT_LIMIT = 64 * 1024 * 1024
SCAN_LIMIT = 256 * 1024 * 1024
SIDE_OUTPUT = 8 * 1024
STREAMS_AT_ONCE = 64
STREAM_WINDOW = 256 * 1024
STREAM_SHARE = 128 * 1024  # of the outbox; more would delay the answer to a tool call
ZYGOTE_FD = 3
ZYGOTE_START_SECONDS = 60.0

LINGER = 0.03  # what a finished command's own helpers (`> >(tee log)`) get to end by themselves
GRACE = 0.05
GIT_GRACE = 0.3  # git drops its locks on SIGTERM; killed at once it strands them
UNKILLABLE_AFTER = 10.0
SEARCH_SECONDS = 20.0
SEARCH_SLICE = 0.01
CENSUS_LIMIT = 20
CROWD = 64
LINKS_FOLLOWED = 40
FOLDERS_DEEP = 200
LINE_SHOWN = 500
WITHHELD_SHOWN = 200

ROOM_BYTES = 512 * 1024 * 1024
ROOM_FILES = 20_000
# bytes and files a second: no look at the disk comes later than such a writer needs to the floor
FASTEST_WRITER, FASTEST_MAKER = 4e9, 2e5
LOOK_SOONEST, LOOK_LATEST = 0.05, 1.0
SURVEY_SLICE = 0.01
SURVEY_AGAIN = 10.0
SURVEY_SECONDS = 5.0
LARGEST_SHOWN = 3
TAKEN_BACK = 64
SURVEY_DEEP = 1000

PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
PR_GET_NO_NEW_PRIVS = 39
IPC_RMID = 0
FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PLAIN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
TRUSTED_ENV = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
}

libc = ctypes.CDLL(None)


class Refusal(Exception):
    """An operation could not do what was asked; `code` is one of the protocol's closed list."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Cancelled(BaseException):
    """The brain wants no answer any more. Thrown once, where the operation sleeps."""


class Fiber:
    __slots__ = ("coroutine", "fds", "deadline", "ready", "asleep", "cancelled", "shield")

    def __init__(self, coroutine):
        self.coroutine = coroutine
        self.fds = {}
        self.deadline = None
        self.ready = None
        self.asleep = False
        self.cancelled = False
        self.shield = 0


class Sleep:
    __slots__ = ("fds", "deadline")

    def __init__(self, fds, deadline):
        self.fds = fds
        self.deadline = deadline

    def __await__(self):
        return (yield self)


def sleep(fds=None, deadline=None):
    """Until a descriptor of `fds` (descriptor -> events) is ready, the deadline passes or somebody wakes the fiber.
    Gives the set of ready descriptors."""
    return Sleep(fds or {}, deadline)


def breathe():
    """Lets everybody else have a turn."""
    return Sleep({}, 0.0)


class Loop:
    def __init__(self):
        # not epoll: how much of that a user may watch is one sum over all of the uid, and a command could use it up
        self.poller = select.poll()
        self.by_fd = {}
        self.asleep = set()
        self.runnable = deque()
        self.current = None

    def start(self, coroutine):
        """Runs it at once, up to its first sleep."""
        fiber = Fiber(coroutine)
        starter, self.current = self.current, fiber
        self.resume(fiber)
        self.current = starter
        return fiber

    def run(self):
        while True:
            while self.runnable:
                self.current = self.runnable.popleft()
                self.resume(self.current)
            self.poll()

    def resume(self, fiber):
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

    def wake(self, fiber):
        if fiber is None or not fiber.asleep:
            return
        fiber.asleep = False
        self.asleep.discard(fiber)
        for fd in fiber.fds:
            self.poller.unregister(fd)
            del self.by_fd[fd]
        self.runnable.append(fiber)

    def poll(self):
        deadlines = [fiber.deadline for fiber in self.asleep if fiber.deadline is not None]
        timeout = max(0.0, min(deadlines) - time.monotonic()) * 1000 if deadlines else None
        woken = []
        for fd, _ in self.poller.poll(timeout):
            fiber = self.by_fd[fd]
            fiber.ready.add(fd)
            woken.append(fiber)
        now = time.monotonic()
        woken += [fiber for fiber in self.asleep if fiber.deadline is not None and fiber.deadline <= now]
        for fiber in woken:
            self.wake(fiber)

    def cancel(self, fiber):
        fiber.cancelled = True
        if not fiber.shield:
            self.wake(fiber)


class Shield:
    """What runs inside cannot be cancelled half-way: killing and cleaning up."""

    def __init__(self, loop):
        self.fiber = loop.current

    def __enter__(self):
        self.fiber.shield += 1

    def __exit__(self, *_):
        self.fiber.shield -= 1


class Outbox:
    """Frames on their way to the brain. Whoever sends much asks `full` first, so a brain that does not read stops the
    source instead of growing the runner."""

    def __init__(self, loop, fd):
        self.loop = loop
        self.fd = fd
        self.queue = deque()
        self.size = 0
        self.waiters = set()
        self.writer = loop.start(self.write())

    def send(self, kind, call_id, payload=b""):
        self.queue.append(FRAME.pack(5 + len(payload), kind, call_id))
        if payload:
            self.queue.append(payload)
        self.size += FRAME.size + len(payload)
        self.flush()

    def send_json(self, kind, call_id, value):
        self.send(kind, call_id, json.dumps(value, separators=(",", ":")).encode())

    async def send_data(self, call_id, data):
        for start in range(0, len(data), CHUNK):
            while self.full():
                await sleep()
            self.send(DATA, call_id, data[start : start + CHUNK])

    def full(self, limit=OUTBOX_LIMIT):
        """When it is, the asking fiber is woken as soon as it may be otherwise."""
        if self.size < limit:
            return False
        self.waiters.add(self.loop.current)
        return True

    def flush(self):
        while self.queue:
            try:
                self.drop(os.writev(self.fd, [self.queue[i] for i in range(min(len(self.queue), 64))]))
            except BlockingIOError:
                self.loop.wake(self.writer)
                return
            except OSError:
                os._exit(0)

    def drop(self, written):
        self.size -= written
        while written:
            first = self.queue.popleft()
            if len(first) > written:
                self.queue.appendleft(memoryview(first)[written:])
                return
            written -= len(first)

    async def write(self):
        while True:
            await sleep({self.fd: select.POLLOUT} if self.queue else None)
            self.flush()
            if self.size < OUTBOX_LIMIT:
                waiters, self.waiters = self.waiters, set()
                for fiber in waiters:
                    self.loop.wake(fiber)


class Bounded:
    """Head and tail of a stream; the middle is counted and dropped as it comes."""

    def __init__(self, head, tail):
        self.head_limit = head
        self.tail_limit = tail
        self.head = bytearray()
        self.tail = bytearray()
        self.omitted = 0

    def ready(self):
        return True

    def add(self, data):
        free = self.head_limit - len(self.head)
        if free > 0:
            self.head += data[:free]
            data = data[free:]
        self.tail += data
        if len(self.tail) > 2 * self.tail_limit + CHUNK:
            self.trim()

    def trim(self):
        extra = len(self.tail) - self.tail_limit
        if extra > 0:
            del self.tail[:extra]
            self.omitted += extra

    def end(self):
        self.trim()
        return self

    def text(self):
        self.trim()
        if not self.omitted:
            return (self.head + self.tail).decode("utf-8", "replace")
        head, tail = self.head.decode("utf-8", "replace"), self.tail.decode("utf-8", "replace")
        return f"{head}\n[{self.omitted} bytes left out]\n{tail}"


class Streamed:
    """Bytes that go to the brain as they come, no faster than it takes them."""

    def __init__(self, outbox, call_id, limit=None):
        self.outbox = outbox
        self.call_id = call_id
        self.left = limit
        self.cut = False

    def ready(self):
        return not self.outbox.full()

    def add(self, data):
        if self.left is not None:
            self.cut = self.cut or len(data) > self.left
            data = data[: self.left]
            self.left -= len(data)
        if data:
            self.outbox.send(DATA, self.call_id, data)


class Call:
    """One request of the brain and the bytes that follow it."""

    def __init__(self, runner, call_id, args):
        self.runner = runner
        self.id = call_id
        self.args = args
        self.fiber = None
        self.inbox = deque()
        self.ended = False
        self.cancelled = False
        self.swept = True

    def get(self, name, kind, default=None):
        value = self.args.get(name, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise Refusal("usage", f"{self.args.get('op')}: {name} is missing or of the wrong kind.")
        return value

    def receive(self, data):
        self.inbox.append(data)
        self.runner.held += len(data)
        self.runner.loop.wake(self.fiber)

    def take(self):
        data = self.inbox.popleft()
        self.runner.release(len(data))
        return data

    async def whole_input(self):
        data = bytearray()
        while self.inbox or not self.ended:
            if not self.inbox:
                await sleep()
                continue
            data += self.take()
            if len(data) > WHOLE_INPUT_LIMIT:
                raise Refusal("usage", f"{self.args.get('op')}: more than {WHOLE_INPUT_LIMIT} bytes of input.")
        return bytes(data)


class Feed:
    """The input of a call on its way into a program."""

    def __init__(self, call, fd):
        self.call = call
        self.fd = fd
        self.pending = b""
        os.set_blocking(fd, False)

    def wants(self):
        if self.fd is None:
            self.discard()
            return {}
        if not self.pending and self.call.inbox:
            self.pending = memoryview(self.call.take())
        if not self.pending and self.call.ended:
            self.close()
            return {}
        return {self.fd: select.POLLOUT} if self.pending else {}

    def push(self):
        try:
            self.pending = self.pending[os.write(self.fd, self.pending) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.close()

    def discard(self):
        while self.call.inbox:
            self.call.take()

    def close(self):
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None


class Child:
    __slots__ = ("pid", "status", "fiber")

    def __init__(self, pid, fiber):
        self.pid = pid
        self.status = None
        self.fiber = fiber

    def ending(self):
        """(exit code, signal name), one of them None."""
        code = os.waitstatus_to_exitcode(self.status)
        return (code, None) if code >= 0 else (None, signal_name(-code))


class Processes:
    """Starts, reaps and kills. Every process of the container descends from the runner, so a runner without children
    is alone."""

    def __init__(self, loop, oom_fd):
        self.loop = loop
        self.oom_fd = oom_fd
        self.oom_own = os.pread(oom_fd, 16, 0).strip()
        self.children = {}
        self.spared = {}
        self.sweepers = set()
        self.turn = None
        self.standing = standing(0)
        self.null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        # held open: when it is needed, a command may have opened all that the machine lets anybody open
        self.proc = os.open("/proc", LIST)
        self.signals, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        # a handler and not SIG_IGN, because exec resets handlers and keeps SIG_IGN
        signal.signal(signal.SIGCHLD, lambda *_: None)
        loop.start(self.reap_for_ever())

    async def reap_for_ever(self):
        while True:
            await sleep({self.signals: select.POLLIN})
            read_some(self.signals)
            self.reap()

    def reap(self):
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
            for fiber in self.sweepers:
                self.loop.wake(fiber)

    def spawn(self, argv, env, cwd, fds):
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
        self.children[pid] = child = Child(pid, self.loop.current)
        return child

    def strays(self):
        """Processes that are neither the runner nor spared."""
        if not self.reap():
            return []
        pids = [int(name) for name in os.listdir(self.proc) if name.isdigit()]
        return [pid for pid in pids if pid != 1 and pid not in self.spared]

    async def sweep(self, linger=0.0, expected=None):
        """When this returns, everything but the runner and what it spares is dead: a sweep that cannot be finished ends
        the container, and everything with it. Gives the census of what had to be killed, `expected` left out."""
        try:
            killed = await self.kill_strays(linger, expected) if self.strays() else []
            unharmed = standing(0) == self.standing
        except SystemExit:
            raise
        except BaseException as error:
            raise SystemExit(f"it could not be seen whether everything of a command is dead: {error!r}") from error
        # the seccomp profile forbids it; this is for an engine that applies another
        if not unharmed:
            raise SystemExit("a command changed the limits or the priority of the runner")
        return killed

    async def kill_strays(self, linger, expected):
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

    def freeze(self):
        """One kill(-1) reaches every process between two forks of any of them: nobody can outrun what follows."""
        send_signal(-1, signal.SIGSTOP)
        return self.strays()

    async def gone_within(self, seconds):
        deadline = time.monotonic() + seconds
        self.sweepers.add(self.loop.current)
        try:
            while self.strays():
                if time.monotonic() >= deadline:
                    return False
                await sleep(None, deadline)
            return True
        finally:
            self.sweepers.discard(self.loop.current)

    async def terminate(self, strays, holds_locks):
        for pid in strays:
            send_signal(pid, signal.SIGTERM)
            send_signal(pid, signal.SIGCONT)
        await self.gone_within(GIT_GRACE if holds_locks else GRACE)

    async def kill_until_gone(self):
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

    def thaw(self):
        for pid in self.spared:
            send_signal(pid, signal.SIGCONT)

    async def kill_one(self, child):
        """For a trusted program that starts no other."""
        with Shield(self.loop):
            while child.status is None:
                send_signal(child.pid, signal.SIGKILL)
                await sleep(None, time.monotonic() + 0.05)


def standing(pid):
    """What another process of the same uid can change of this one."""
    limits = [resource.prlimit(pid, limit) for limit in range(16)]
    return limits, os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid), os.sched_getaffinity(pid)


def find_program(name, env):
    if "/" in name:
        return name
    for folder in env.get("PATH", "/usr/bin:/bin").split(":"):
        path = os.path.join(folder or ".", name)
        if os.access(path, os.X_OK):
            return path
    raise Refusal("io", f"{name} is not on the path of the container.")


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def send_signal(pid, number):
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def describe(pid):
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


def read_proc(pid, name, limit):
    fd = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, limit)
    finally:
        os.close(fd)


def printable(raw):
    """One line of text: bytes that are no UTF-8 and control characters become escapes."""
    text = raw.decode("utf-8", "backslashreplace")
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda m: m[0].encode("unicode_escape").decode(), text)


def our_pipe():
    """A pipe of which we read; our end never blocks."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    return reader, writer


def read_some(fd, size=CHUNK):
    """b"" at the end of the stream, None when there is nothing now."""
    try:
        return os.read(fd, size)
    except BlockingIOError:
        return None


class Outputs:
    """Pipes that programs write to, and who takes what comes."""

    def __init__(self):
        self.takers = {}

    def pipe(self, taker):
        """The end to give away; the caller closes it."""
        reader, writer = our_pipe()
        self.takers[reader] = taker
        return writer

    async def pump(self, deadline, feed=None, also=None):
        """Moves what can be moved now, or sleeps. Gives the other descriptors that were ready."""
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
        if feed is not None and feed.fd in ready:
            feed.push()
        return ready

    async def drain(self):
        """Takes what is in the pipes. No wait for their end: a descriptor may have travelled to who knows where."""
        for fd, taker in self.takers.items():
            while data := read_some(fd):
                while not taker.ready():
                    await sleep()
                taker.add(data)

    def close(self):
        while self.takers:
            os.close(self.takers.popitem()[0])


class Survey:
    """What the worktree takes on the disk: a walk in slices, so that everything else goes on meanwhile. `since`: files
    changed later are marked (ctime is a clock that nobody in here can set)."""

    def __init__(self, root, since):
        self.root = root
        self.since = since
        self.bytes = 0
        self.files = []  # (bytes, path, changed since), the largest
        self.spent = 0.0
        self.steps = self.walk()

    def go_on(self, seconds):
        """False while there is more to see, and time left to see it."""
        started = time.monotonic()
        for _ in self.steps:
            if time.monotonic() - started >= seconds:
                self.spent += time.monotonic() - started
                return self.spent >= SURVEY_SECONDS
        self.spent += time.monotonic() - started
        return True

    async def finish(self):
        while not self.go_on(SURVEY_SLICE):
            await breathe()
        self.steps.close()
        return self

    def walk(self):
        folders = []
        try:
            self.enter(folders, "", self.root, None)
            seen = 0
            while folders:
                fd, prefix, entries = folders[-1]
                entry = self.next_of(entries)
                if entry is None:
                    folders.pop()
                    entries.close()
                    os.close(fd)
                    continue
                self.count(entry, prefix)
                if entry.is_dir(follow_symlinks=False) and len(folders) < SURVEY_DEEP:
                    self.enter(folders, f"{prefix}{entry.name}/", entry.name, fd)
                seen += 1
                if seen % 64 == 0:
                    yield
        finally:
            for fd, _, entries in folders:
                entries.close()
                os.close(fd)

    def enter(self, folders, prefix, name, above):
        try:
            fd = os.open(name, LIST, dir_fd=above)
        except OSError:
            return
        try:
            folders.append((fd, prefix, os.scandir(fd)))
        except OSError:
            os.close(fd)

    def next_of(self, entries):
        try:
            return next(entries, None)
        except OSError:
            return None

    def count(self, entry, prefix):
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return
        # a file of several names is met once for each
        size = found.st_blocks * 512 // max(1, found.st_nlink) if stat.S_ISREG(found.st_mode) else 0
        self.bytes += size
        if size:
            self.files.append((size, prefix + entry.name, found.st_ctime_ns > self.since))
            if len(self.files) > 2 * TAKEN_BACK:
                self.files = self.largest(TAKEN_BACK)

    def largest(self, count):
        return sorted(self.files, key=lambda file: (-file[0], file[1]))[:count]


class Disk:
    """The disk under the worktree, which it shares with the brain's own state and with everything else of the person. Where
    an environment is made, it is that one's."""

    def __init__(self):
        self.root = ENVIRONMENT if os.access(ENVIRONMENT, os.W_OK) else WORKSPACE
        self.floor_bytes = self.floor_files = 0
        free, files = self.room()
        # of a small disk a part, so that one can work on it at all
        self.floor_bytes = min(ROOM_BYTES, free // 4)
        self.floor_files = min(ROOM_FILES, files // 4)
        self.taken = None
        self.free_then = free
        self.not_before = 0.0
        self.look_again = time.monotonic() + SURVEY_AGAIN

    def room(self):
        """(bytes, files) that can still be made by a user who is not root."""
        space = os.statvfs(self.root)
        # some file systems know no number of files
        return space.f_bavail * space.f_frsize, space.f_favail if space.f_files else 1 << 62

    def at_most(self, free, limit):
        """What the worktree can have grown to by now, if all that went from the disk went there. What others remove from
        the disk hides what it takes, which is why it is looked at again now and then whatever this says."""
        taken = limit // 2 if self.taken is None else self.taken
        return taken + max(0, self.free_then - free)

    def surveyed(self, survey, free):
        self.taken = survey.bytes
        self.free_then = free
        # where others write too, the bound is soon past again
        now = time.monotonic()
        self.not_before = now + 20 * survey.spent
        self.look_again = now + max(SURVEY_AGAIN, 50 * survey.spent)

    def may_have_grown(self, free, limit, allowed):
        now = time.monotonic()
        return now >= self.look_again or (now >= self.not_before and self.at_most(free, limit) > allowed)


def stamp_of_now():
    """What a file is stamped with that changes now. No clock that can be read is that one on every kernel: newer ones
    stamp files ahead of their coarse clock, and an older file would be taken for a new one."""
    fd = os.memfd_create("now", os.MFD_CLOEXEC)
    try:
        return os.fstat(fd).st_ctime_ns
    finally:
        os.close(fd)


class Watch:
    """Looks at the disk while a command runs. One that began with too little room may go on as long as it takes hardly
    more: removing things must be possible."""

    def __init__(self, disk, limit):
        self.disk = disk
        self.limit = limit
        self.began = stamp_of_now()
        self.survey = None
        self.full = None
        free, files = disk.room()
        self.floor_bytes = min(disk.floor_bytes, max(free - disk.floor_bytes // 32, free // 2))
        self.floor_files = min(disk.floor_files, max(files - disk.floor_files // 32, files // 2))
        over = disk.taken is not None and disk.taken > limit
        self.allowed = disk.taken + limit // 32 if over else limit
        self.next = time.monotonic() + self.pause(free, files)

    def pause(self, free, files):
        room = min((free - self.floor_bytes) / FASTEST_WRITER, (files - self.floor_files) / FASTEST_MAKER)
        return min(LOOK_LATEST, max(LOOK_SOONEST, room))

    def stops(self):
        """Whether the command must end now; `full` says why."""
        now = time.monotonic()
        if now < self.next:
            return False
        free, files = self.disk.room()
        self.next = now + self.pause(free, files)
        if free < self.floor_bytes:
            self.full = "space"
        elif files < self.floor_files:
            self.full = "files"
        elif self.survey is not None:
            self.go_on(free)
        elif self.disk.may_have_grown(free, self.limit, self.allowed):
            self.survey = Survey(self.disk.root, self.began)
            self.go_on(free)
        return self.full is not None

    def go_on(self, free):
        if self.survey.bytes <= self.allowed and not self.survey.go_on(SURVEY_SLICE):
            self.next = time.monotonic() + 3 * SURVEY_SLICE
            return
        self.disk.surveyed(self.survey, free)
        if self.survey.bytes > self.allowed:
            self.full = "share"
        self.survey = None

    async def outcome(self):
        """What to say of the disk after the command, None when there is nothing."""
        (free, files), stopped = self.disk.room(), self.full is not None
        # what is written in the second between two looks is past the bound as well
        if not stopped and self.disk.may_have_grown(free, self.limit, self.allowed):
            self.disk.surveyed(await Survey(self.disk.root, self.began).finish(), free)
        self.full = self.full or self.still_full(free, files)
        if self.full is None:
            return None
        survey = await Survey(self.disk.root, self.began).finish()
        self.disk.surveyed(survey, free)
        removed = self.take_back(survey)
        if not stopped and self.full == "share" and survey.bytes <= self.limit:
            return None
        largest = [found for found in survey.largest(TAKEN_BACK) if found[1] not in removed]
        return {
            "what": self.full,
            "stopped": stopped,
            "free": self.disk.room()[0],
            "largest": [{"path": shown(path), "bytes": size} for size, path, _ in largest[:LARGEST_SHOWN]],
            "removed": [shown(path) for path in removed],
        }

    def still_full(self, free, files):
        if free < self.disk.floor_bytes:
            return "space"
        if files < self.disk.floor_files:
            return "files"
        return "share" if self.disk.taken is not None and self.disk.taken > self.limit else None

    def take_back(self, survey):
        """One call can take all the room there is between two looks (fallocate). Then the command's large files go again:
        without any room the session would end here, and end again when it is resumed."""
        removed = []
        for size, path, is_new in survey.largest(TAKEN_BACK):
            if self.disk.room()[0] >= self.disk.floor_bytes // 2 or size < self.disk.floor_bytes // 8:
                break
            if not is_new:
                continue
            try:
                os.unlink(os.path.join(os.fsdecode(self.disk.root), path))
                removed.append(path)
            except OSError:
                pass
        return removed


def shown(path):
    return printable(os.fsencode(path))[:300]


class Command:
    """A program, everything it starts, and the end of all of it."""

    def __init__(self, processes, stdout, stderr, call=None, watch=None):
        self.processes = processes
        self.watch = watch
        self.outputs = Outputs()
        self.stdout = stdout
        self.stderr = stderr
        self.call = call
        self.exit = self.signal = None
        self.timed_out = False
        self.killed = []
        self.ms = 0

    async def run(self, argv, env, cwd, seconds):
        started = time.monotonic()
        feed = None
        try:
            child, feed = self.start(argv, env, cwd)
            ended = await self.attend(child, feed, started + seconds)
            self.timed_out = not ended and not self.filled
            self.killed = await self.processes.sweep(LINGER if ended else 0.0, child.pid)
            await self.outputs.drain()
        finally:
            self.outputs.close()
            if feed is not None:
                feed.close()
        self.exit, self.signal = child.ending()
        self.ms = round((time.monotonic() - started) * 1000)
        return self

    def start(self, argv, env, cwd):
        writer = self.outputs.pipe(self.stdout)
        fds = {1: writer, 2: writer if self.stderr is self.stdout else self.outputs.pipe(self.stderr)}
        ours = None
        if self.call is not None:
            fds[0], ours = os.pipe()
        try:
            child = self.processes.spawn(argv, env, cwd, fds)
        except BaseException:
            if ours is not None:
                os.close(ours)
            raise
        finally:
            for fd in set(fds.values()):
                os.close(fd)
        return child, None if ours is None else Feed(self.call, ours)

    async def attend(self, child, feed, deadline):
        """Waits for the process, not for the end of its output; False when the deadline or a full disk came first."""
        watch = self.watch
        while child.status is None:
            if time.monotonic() >= deadline or (watch is not None and watch.stops()):
                return False
            await self.outputs.pump(deadline if watch is None else min(deadline, watch.next), feed)
        return True

    @property
    def filled(self):
        return self.watch is not None and self.watch.full is not None


class Place:
    """A name in an open folder. `found` is its lstat, None when there is nothing of that name."""

    def __init__(self, shown):
        self.shown = shown
        self.fds = []
        self.name = b""
        self.path = b""
        self.links = []
        self.found = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for fd in self.fds:
            os.close(fd)

    def names(self):
        """Every path that the file goes by here: its own, and those of the links that led to it."""
        return [printable(path) for path in [*self.links, self.path]]

    def open(self, flags, mode=0o644):
        """The regular file itself; a link or FIFO put there meanwhile is an error and does not block."""
        if self.found is not None and not stat.S_ISREG(self.found.st_mode):
            raise Refusal("tool", f"{self.shown}: not a regular file.")
        fd = os.open(self.name, flags | PLAIN, mode, dir_fd=self.fds[-1])
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return fd
        os.close(fd)
        raise Refusal("tool", f"{self.shown}: not a regular file.")


class Workspace:
    """Paths of the worktree, resolved by hand from its root: links are followed while they stay inside, never out."""

    def open_again(self):
        """Its owner may have locked it (`chmod 000 .`)."""
        try:
            found = os.stat(WORKSPACE)
            if found.st_mode & 0o700 != 0o700 and found.st_uid == os.getuid():
                os.chmod(WORKSPACE, stat.S_IMODE(found.st_mode) | 0o700)
        except OSError:
            pass

    def root(self, flags=FOLDER):
        return os.open(WORKSPACE, flags)

    def locate(self, path, make=False):
        """The place `path` names; `make` makes the folders above it that are missing."""
        shown = printable(encode(path))[:300]
        place = Place(shown)
        todo = components(encode(path), shown)
        if path.endswith(("/", "/.")):
            raise a_folder(shown)
        try:
            with FileWork(shown):
                place.fds.append(self.root())
                self.walk(place, todo, make)
        except BaseException:
            place.__exit__()
            raise
        return place

    def walk(self, place, todo, make):
        names, links = [], 0
        while todo:
            name = todo.pop()
            if name == b"..":
                if not names:
                    raise outside(place.shown)
                names.pop()
                os.close(place.fds.pop())
                continue
            if not names and name.lower() == b".git":
                raise Refusal("tool", f"{place.shown}: .git is git's own.")
            found = lstat(name, place.fds[-1])
            if found is not None and stat.S_ISLNK(found.st_mode):
                links += 1
                if links > LINKS_FOLLOWED:
                    raise Refusal("tool", f"{place.shown}: too many links.")
                self.follow(place, name, names, todo)
            elif todo:
                self.enter(place, name, found, make)
                names.append(name)
            else:
                place.name, place.found, place.path = name, found, b"/".join([*names, name])
                break
        if not place.name or (place.found is not None and stat.S_ISDIR(place.found.st_mode)):
            raise a_folder(place.shown)

    def follow(self, place, name, names, todo):
        place.links.append(b"/".join([*names, name]))
        target = os.readlink(name, dir_fd=place.fds[-1])
        if target.startswith(b"/"):
            while len(place.fds) > 1:
                os.close(place.fds.pop())
            names.clear()
        todo.extend(components(target, place.shown, lexical=False))

    def enter(self, place, name, found, make):
        folder = place.fds[-1]
        if found is None:
            if not make:
                raise Refusal("tool", f"{place.shown}: no such file.")
            os.mkdir(name, 0o755, dir_fd=folder)
        elif not stat.S_ISDIR(found.st_mode):
            raise Refusal("tool", f"{place.shown}: {printable(name)} is not a folder.")
        place.fds.append(os.open(name, FOLDER, dir_fd=folder))

    def existing(self, path):
        place = self.locate(path)
        if place.found is None:
            place.__exit__()
            raise Refusal("tool", f"{place.shown}: no such file.")
        return place


def encode(path):
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Refusal("tool", "The path holds characters that no file name can have.") from None


def components(path, shown, lexical=True):
    """The names of a path relative to the workspace, last first."""
    if not path.strip():
        raise Refusal("tool", "The path is empty; name a file of the workspace.")
    if b"\0" in path:
        raise Refusal("tool", f"{shown}: a path cannot hold a NUL byte.")
    names = [name for name in path.split(b"/") if name not in (b"", b".")]
    if path.startswith(b"/"):
        if names[:1] != [WORKSPACE[1:]]:
            raise outside(shown)
        names = names[1:]
    if lexical:
        depth = 0
        for name in names:
            depth += -1 if name == b".." else 1
            if depth < 0:
                raise outside(shown)
    return names[::-1]


def a_folder(shown):
    return Refusal("tool", f"{shown}: a folder, not a file; glob lists what is in it.")


def outside(shown):
    return Refusal("tool", f"{shown}: outside the workspace; paths are relative to /workspace or absolute under it.")


def lstat(name, folder):
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


class FileWork:
    """What goes wrong inside is told to whoever asked for the file."""

    def __init__(self, shown):
        self.shown = shown

    def __enter__(self):
        return self

    def __exit__(self, _, error, trace):
        if isinstance(error, OSError):
            ours = error.errno in (errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
            raise Refusal("io" if ours else "tool", f"{self.shown}: {error.strerror}.") from None


def read_lines(fd, shown, first, limit, max_bytes):
    """(bytes, number of their last line, whether the file goes on behind them)"""
    start = line_start(fd, shown, first)
    block = os.pread(fd, max_bytes + 1, start)
    if not block and first > 1:
        raise past_the_end(shown, first, first - 1)
    if len(block) > max_bytes:
        block = whole_characters(block[:max_bytes])
    if limit is not None:
        end = -1
        for _ in range(limit):
            end = block.find(b"\n", end + 1)
            if end < 0:
                break
        block = block if end < 0 else block[: end + 1]
    lines = block.count(b"\n") + (not block.endswith(b"\n") and block != b"")
    return block, first + lines - 1, start + len(block) < os.fstat(fd).st_size


def line_start(fd, shown, line):
    """Where line number `line` starts."""
    position, number, chunk = 0, 1, b""
    while number < line:
        before, chunk = chunk, os.pread(fd, 256 * 1024, position)
        if not chunk:
            raise past_the_end(shown, line, number - (before == b"" or before.endswith(b"\n")))
        if position > SCAN_LIMIT:
            raise Refusal("tool", f"{shown}: line {line} is too far into the file; search it with grep.")
        newlines = chunk.count(b"\n")
        if number + newlines < line:
            number += newlines
            position += len(chunk)
            continue
        end = -1
        for _ in range(line - number):
            end = chunk.find(b"\n", end + 1)
        return position + end + 1
    return position


def past_the_end(shown, line, lines):
    return Refusal("tool", f"{shown}: offset {line} is past the end; the file has {lines} lines.")


def whole_characters(block):
    """Without the UTF-8 character that the cut tore."""
    for back in range(1, min(4, len(block)) + 1):
        byte = block[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return block[:-back] if back < length else block
    return block


def overwrite(fd, data):
    """In place, because a rename would break hard links and lose the mode; never shorter than either on the way."""
    position = 0
    view = memoryview(data)
    while position < len(data):
        position += os.pwrite(fd, view[position:], position)
    os.ftruncate(fd, len(data))


def splice(data, old, new, shown):
    at = data.find(old)
    if at < 0:
        returns = old.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        hint = "; with \\r\\n at the end of its lines it would be" if returns in data else ""
        raise Refusal("tool", f"{shown}: old_string was not found (0 matches){hint}.")
    if data.find(old, at + 1) >= 0:
        count = max(2, data.count(old))
        raise Refusal("tool", f"{shown}: old_string has {count} matches; add context until it has exactly one.")
    return data[:at] + new + data[at + len(old) :]


class Glob:
    """`**`, `*`, `?`, `[a-z]`, `{a,b}`. A state is (alternative, segment): the segment that the next name must match."""

    def __init__(self, pattern):
        self.alternatives = [self.segments(text) for text in alternatives(pattern)]
        self.start = self.closure({(i, 0) for i in range(len(self.alternatives))})

    def segments(self, text):
        names = [name for name in text.split("/") if name not in ("", ".")]
        names = [name for i, name in enumerate(names) if name != "**" or names[i - 1 : i] != ["**"]]
        if names[-1:] == ["**"]:
            names.append("*")
        return [None if name == "**" else name_matcher(name) for name in names]

    def closure(self, states):
        todo, seen = list(states), set()
        while todo:
            alternative, i = state = todo.pop()
            if state in seen or i >= len(self.alternatives[alternative]):
                continue
            seen.add(state)
            if self.alternatives[alternative][i] is None:
                todo.append((alternative, i + 1))
        return frozenset(seen)

    def matcher(self, states):
        """Tells whether a name is a result."""
        last = [self.alternatives[a][i] for a, i in states if i == len(self.alternatives[a]) - 1]
        if len(last) == 1:
            return last[0]
        return lambda name: any(matches(name) for matches in last)

    def below(self, states, name):
        """The states inside the folder `name`; empty when nothing in it can match."""
        following = set()
        for alternative, i in states:
            matcher = self.alternatives[alternative][i]
            if matcher is None:
                following.add((alternative, i))
            elif matcher(name):
                following.add((alternative, i + 1))
        return self.closure(following)


def name_matcher(pattern):
    if pattern == "*":
        return lambda name: True
    if not any(c in pattern for c in "*?["):
        return pattern.__eq__
    # fnmatch's translation cannot backtrack for ever
    return re.compile(fnmatch.translate(pattern.replace("[^", "[!"))).match


def alternatives(pattern):
    """A pattern with its braces written out."""
    done, todo = [], [pattern]
    while todo:
        if len(done) + len(todo) > 64:
            raise Refusal("tool", "The pattern's braces stand for more than 64 patterns.")
        text = todo.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", text)
        if braces is None:
            done.append(text)
        else:
            todo += [text[: braces.start()] + part + text[braces.end() :] for part in braces[1].split(",")]
    return done


class Listing:
    """The entries of one folder that can matter, in the order of their full paths."""

    def __init__(self, fd, prefix, states):
        self.fd = fd
        self.prefix = prefix
        self.states = states
        self.entries = iter(())

    def read(self, glob, skipped):
        matches = glob.matcher(self.states)
        entries = []
        with os.scandir(self.fd) as found:
            for entry in found:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not skipped(name):
                        entries.append((name + "/", matches(name)))
                elif matches(name) and name != ".git":
                    entries.append((name, True))
        self.entries = iter(sorted(entries))


class Withheld:
    """Files that are not shown, counted or searched: those that a pattern finds by their path, but for a few."""

    def __init__(self, args):
        self.like = re.compile(args["like"], re.IGNORECASE | re.ASCII) if args else None
        self.shown = frozenset(args["shown"]) if args else ()
        self.paths = set()

    def holds(self, path):
        if self.like is None or path in self.shown or not self.like.search(path):
            return False
        self.paths.add(path)
        return True

    def reply(self):
        return {"withheld": {"paths": sorted(self.paths)[:WITHHELD_SHOWN], "count": len(self.paths)}}


class Names:
    """What `rg --files --null` prints."""

    more = False

    def __init__(self, withheld):
        self.withheld = withheld
        self.buffer = b""

    def ready(self):
        return True

    def add(self, data):
        *names, self.buffer = (self.buffer + data).split(b"\0")
        for name in names:
            self.withheld.holds(printable(name.removeprefix(b"./")))


class Matches:
    """What `rg --null` prints, taken in up to a limit: `path NUL line:text`."""

    def __init__(self, limit, withheld):
        self.limit = limit
        self.withheld = withheld
        self.buffer = bytearray()
        self.path = b""
        self.lines = []
        self.more = False

    def ready(self):
        return True

    def add(self, data):
        if not self.more:
            self.buffer += data
            self.parse()

    def parse(self):
        while True:
            nul = self.buffer.find(b"\0")
            end = self.buffer.find(b"\n", nul + 1)
            if nul < 0 or end < 0:
                return
            self.path = self.without_warning(bytes(self.buffer[:nul]))
            path = printable(self.path.removeprefix(b"./"))
            if not self.withheld.holds(path):
                if len(self.lines) == self.limit:
                    self.more = True
                    return
                number, _, text = bytes(self.buffer[nul + 1 : end]).partition(b":")
                shown = text.rstrip(b"\r").decode("utf-8", "replace")
                self.lines.append(f"{path}:{number.decode()}: {shown}")
            del self.buffer[: end + 1]

    def without_warning(self, path):
        """rg tells on standard output that it left a file because it turned out to be binary."""
        if path.startswith(self.path + b": WARNING: stopped searching binary file"):
            return path.partition(b"\n")[2]
        return path


def name_filter(skip):
    patterns = [fnmatch.translate(name) for name in [*skip, ".git"]]
    return re.compile("|".join(patterns)).match


def workspace_pattern(pattern, name):
    """A pattern relative to the root, from one that may be absolute; `.` and empty names are left out."""
    if not pattern.strip():
        raise Refusal("tool", f"The {name} is empty.")
    names = [part for part in pattern.split("/") if part not in ("", ".")]
    absolute = pattern.startswith("/")
    if (absolute and names[:1] != ["workspace"]) or ".." in names or "\0" in pattern:
        raise Refusal("tool", f"{printable(encode(pattern))[:300]}: the {name} leads outside the workspace.")
    return "/".join(names[1:] if absolute else names) or "*"


async def empty_folder(path):
    """Deletes what is in a folder. Folders in folders are hoisted to the top first, so no depth is too deep."""
    try:
        os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | 0o700)
    except OSError:
        pass
    try:
        top = os.open(path, LIST)
    except FileNotFoundError:
        return
    try:
        while folders := await delete_files(top):
            for name in folders:
                await hoist_and_delete(top, name)
    except OSError as error:
        raise Refusal("io", f"{path} could not be wiped: {error.strerror}.") from None
    finally:
        os.close(top)


async def delete_files(fd):
    """Gives the names of the folders, which stay."""
    folders = []
    with os.scandir(fd) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for count, (name, is_folder) in enumerate(entries, 1):
        if is_folder:
            os.chmod(name, 0o700, dir_fd=fd)
            folders.append(name)
        else:
            os.unlink(name, dir_fd=fd)
        if count % 500 == 0:
            await breathe()
    return folders


async def hoist_and_delete(top, name):
    fd = os.open(name, LIST, dir_fd=top)
    try:
        for inner in await delete_files(fd):
            os.rename(inner, f".hoisted-{os.urandom(8).hex()}", src_dir_fd=fd, dst_dir_fd=top)
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=top)


def remove_system_v():
    calls = {
        "msg": lambda number: libc.msgctl(number, IPC_RMID, None),
        "sem": lambda number: libc.semctl(number, 0, IPC_RMID, 0),
        "shm": lambda number: libc.shmctl(number, IPC_RMID, None),
    }
    for kind, remove in calls.items():
        try:
            with open(f"/proc/sysvipc/{kind}", "rb") as table:
                for line in table.readlines()[1:]:
                    remove(int(line.split()[1]))
        except FileNotFoundError:
            pass


def borrowing_git_dir(path, commit=None):
    """A repository whose objects are those of /repo, and for which bytes are bytes."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "info"):
        os.makedirs(f"{path}/{folder}")
    files = {
        "HEAD": "ref: refs/heads/work\n",
        "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = true\n"
        "[user]\n\tname = worker\n\temail = worker@tilth.invalid\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n",
        "objects/info/alternates": f"{REPO}/objects\n",
        "info/attributes": "* -text !eol -ident -filter !working-tree-encoding\n",
    }
    if commit is not None:
        files["refs/heads/work"] = commit + "\n"
    if os.path.exists(f"{REPO}/shallow"):
        with open(f"{REPO}/shallow") as shallow:
            files["shallow"] = shallow.read()
    for name, text in files.items():
        with open(f"{path}/{name}", "w") as file:
            file.write(text)


def object_id(text, name):
    if not re.fullmatch("[0-9a-f]{40}", text):
        raise Refusal("usage", f"{name} is not an object id.")
    return text


class Zygote:
    """A program that has its imports done and forks a child per payload. It outlives commands, and so must be as far
    out of their reach as the runner: that is its own doing."""

    def __init__(self, processes, argv, env):
        self.processes = processes
        self.argv = argv
        self.env = {**env, "TILTH_ZYGOTE_FD": str(ZYGOTE_FD)}
        self.child = None
        self.socket = None
        self.buffer = bytearray()
        self.standing = None

    def alive(self):
        return self.socket is not None and self.child is not None and self.child.status is None

    async def start(self):
        """Gives its ready message."""
        import socket  # half a megabyte that only check containers need

        self.close()
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        said = Bounded(0, SIDE_OUTPUT)
        outputs = Outputs()
        try:
            writer = outputs.pipe(said)
            try:
                fds = {1: writer, 2: writer, ZYGOTE_FD: theirs.fileno()}
                self.child = self.processes.spawn(self.argv, self.env, "/", fds)
            finally:
                os.close(writer)
                theirs.close()
            self.processes.spared[self.child.pid] = self.child
            return await self.read_ready(outputs, said)
        except BaseException:
            await self.kill()
            raise
        finally:
            outputs.close()

    async def read_ready(self, outputs, said):
        deadline = time.monotonic() + ZYGOTE_START_SECONDS
        while self.alive() and time.monotonic() < deadline:
            await outputs.pump(deadline, also={self.socket.fileno(): select.POLLIN})
            message = self.message()
            if message is not None:
                self.standing = standing(self.child.pid)
                return message
        await self.kill()
        await outputs.drain()
        raise Refusal("zygote_lost", f"The zygote did not start: {said.text().strip() or 'it said nothing'}")

    def message(self):
        """A whole message, if one is there."""
        try:
            data = self.socket.recv(CHUNK)
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

    async def send(self, payload, fds, deadline, pump):
        """The descriptors travel with the first byte. False when it was not all taken in time."""
        import socket

        left = memoryview(payload)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
        while left:
            try:
                left = left[self.socket.sendmsg([left], ancillary) :]
                ancillary = []
            except BlockingIOError:
                if not self.alive() or time.monotonic() >= deadline:
                    return False
                await pump(deadline, also={self.socket.fileno(): select.POLLOUT})
            except OSError:
                return False
        return True

    def unharmed(self):
        return self.alive() and standing(self.child.pid) == self.standing

    async def kill(self):
        if self.child is not None:
            self.processes.spared.pop(self.child.pid, None)
        await self.processes.sweep()

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None
        self.buffer.clear()


class ZygoteCall:
    """One payload: its report, its output, its end."""

    def __init__(self, zygote, report, output):
        self.zygote = zygote
        self.processes = zygote.processes
        self.report = report
        self.output = output
        self.outputs = Outputs()
        self.answer = None
        self.timed_out = False
        self.killed = []

    async def run(self, payload, data, seconds):
        deadline = time.monotonic() + seconds
        self.zygote.child.fiber = self.processes.loop.current
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

    async def hand_over(self, payload, data, deadline):
        header = json.dumps({"payload": payload, "input_len": len(data)}, separators=(",", ":")).encode()
        fds = [self.outputs.pipe(self.report), self.outputs.pipe(self.output)]
        try:
            message = PREFIX.pack(len(header)) + header + data
            return await self.zygote.send(message, fds, deadline, self.outputs.pump)
        finally:
            for fd in fds:
                os.close(fd)

    async def wait_for_answer(self, deadline):
        while self.answer is None and self.zygote.alive() and time.monotonic() < deadline:
            await self.outputs.pump(deadline, also={self.zygote.socket.fileno(): select.POLLIN})
            self.answer = self.zygote.message()

    async def settle(self):
        """Kills what the payload left. A zygote that then cannot say how its child ended is killed as well."""
        with Shield(self.processes.loop):
            self.killed = await self.processes.sweep(LINGER if self.answer else 0.0)
            if self.answer is None:
                await self.wait_for_answer(time.monotonic() + 1.0)
            if self.answer is None or not self.zygote.unharmed():
                await self.zygote.kill()


class Stream:
    """A connection from inside the container, and its bytes in frames to and from the brain, as many as either has room for."""

    def __init__(self, streams, number, connection):
        self.streams = streams
        self.outbox = streams.outbox
        self.number = number
        self.connection = connection
        self.fd = connection.fileno()
        self.inbox = deque()
        self.credit = STREAM_WINDOW
        self.sends = self.receives = self.answers = True
        self.fiber = None

    async def run(self):
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

    def wants(self):
        events = select.POLLOUT if self.inbox else 0
        if self.may_send():
            events |= select.POLLIN
        return {self.fd: events} if events else {}

    def may_send(self):
        return self.sends and self.credit > 0 and not self.outbox.full(STREAM_SHARE)

    def pull(self):
        if not self.may_send():
            return
        data = read_some(self.fd, min(CHUNK, self.credit))
        if data:
            self.credit -= len(data)
            self.outbox.send(BYTES, self.number, data)
        elif data == b"":
            self.sends = False
            self.outbox.send(FINISH, self.number)

    def push(self):
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
            self.outbox.send(CREDIT, self.number, PREFIX.pack(written))

    def finish(self):
        if self.answers and not self.inbox and not self.receives:
            self.answers = False
            self.connection.shutdown(socket.SHUT_WR)

    def receive(self, kind, payload):
        if kind == BYTES:
            self.inbox.append(memoryview(payload))
        elif kind == CREDIT:
            self.credit += PREFIX.unpack(payload)[0]
        elif kind == FINISH:
            self.receives = False
        else:
            self.sends = self.receives = False
            self.inbox.clear()
        self.streams.loop.wake(self.fiber)


class Streams:
    """The way out of a container that has no network: a listener on its loopback, for which the brain answers."""

    def __init__(self, loop, outbox):
        self.loop = loop
        self.outbox = outbox
        self.open = {}
        self.opened = 0
        self.listener = None
        self.accepting = None

    def listen(self):
        if self.listener is None:
            self.listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
            self.listener.bind(("127.0.0.1", 0))
            self.listener.listen(STREAMS_AT_ONCE)
            self.accepting = self.loop.start(self.accept())
        return self.listener.getsockname()[1]

    async def accept(self):
        """What comes beyond the bound waits where the kernel keeps it."""
        while True:
            while len(self.open) >= STREAMS_AT_ONCE:
                await sleep()
            await sleep({self.listener.fileno(): select.POLLIN})
            try:
                connection, _ = self.listener.accept()
            except BlockingIOError:
                continue
            except OSError:
                await sleep(None, time.monotonic() + 0.05)
                continue
            connection.setblocking(False)
            self.opened += 1
            self.open[self.opened] = stream = Stream(self, self.opened, connection)
            self.loop.start(stream.run())

    def close(self, number):
        del self.open[number]
        self.loop.wake(self.accepting)

    def receive(self, kind, number, payload):
        stream = self.open.get(number)
        if stream is not None:
            stream.receive(kind, payload)


class Turn:
    """Belongs to a call that runs programs: one has it at a time. It is over when they are seen dead, whatever came of the call, and
    only then does the call's answer say so."""

    def __init__(self, processes, call):
        self.processes = processes
        self.call = call

    async def __aenter__(self):
        if self.processes.turn is not None:
            raise Refusal("busy", "Another command is running.")
        self.processes.turn = self
        self.call.swept = False

    async def __aexit__(self, *_):
        await self.processes.sweep()
        self.call.swept = True
        self.processes.turn = None


class NoTurn:
    """Stands in for it where nothing will run."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass


class Operations:
    """What can be asked of the runner. Each takes a call and gives the fields of its result."""

    def __init__(self, loop, outbox, processes):
        self.loop = loop
        self.outbox = outbox
        self.processes = processes
        self.workspace = Workspace()
        self.streams = Streams(loop, outbox)
        self.disk = Disk()
        self.zygote = None
        self.table = {
            "exec": self.exec_,
            "quiet": self.quiet,
            "read": self.read,
            "write": self.write,
            "edit": self.edit,
            "glob": self.glob,
            "grep": self.grep,
            "reset": self.reset,
            "fresh": self.fresh,
            "self_test": self.self_test,
            "listen": self.listen,
            "zygote": self.start_zygote,
            "zygote_call": self.zygote_call,
        }

    async def perform(self, call):
        operation = self.table.get(call.args.get("op"))
        if operation is None:
            raise Refusal("usage", f"There is no operation {call.args.get('op')!r}.")
        self.workspace.open_again()
        return await operation(call)

    async def exec_(self, call):
        argv, env, cwd = call.get("argv", list), call.get("env", dict), call.get("cwd", str)
        seconds = call.get("timeout_ms", int) / 1000
        merged = call.get("output", str, "merged") == "merged"
        out = self.output_of(call) if merged else Streamed(self.outbox, call.id)
        err = out if merged else Bounded(SIDE_OUTPUT, SIDE_OUTPUT)
        async with self.turn(call):
            fed = call if call.get("stdin", bool, False) else None
            disk_bytes = call.get("disk_bytes", int, 0)
            watch = Watch(self.disk, disk_bytes) if disk_bytes else None
            command = await Command(self.processes, out, err, fed, watch).run(argv, env, cwd, seconds)
            full = None if watch is None else await watch.outcome()
        if merged:
            await self.outbox.send_data(call.id, bytes(out.end().head))
            await self.outbox.send_data(call.id, bytes(out.tail))
            said = {"head": len(out.head), "tail": len(out.tail), "omitted": out.omitted}
        else:
            said = {"stderr": err.text()}
        return {**ending(command), **said, "full": full}

    def turn(self, call):
        return Turn(self.processes, call)

    async def quiet(self, call):
        """For whoever must know that nothing runs, before he believes what stands in the worktree."""
        async with self.turn(call):
            return {}

    def output_of(self, call):
        return Bounded(call.get("head", int, 16 * 1024), call.get("tail", int, 16 * 1024))

    async def trusted(self, argv, cwd="/", **env):
        """A program of the image with arguments of ours; gives (exit code, standard output, standard error)."""
        out, err = Bounded(SIDE_OUTPUT, SIDE_OUTPUT), Bounded(SIDE_OUTPUT, SIDE_OUTPUT)
        command = await Command(self.processes, out, err).run(argv, {**TRUSTED_ENV, **env}, cwd, 600)
        return command.exit, out.text(), err.text()

    async def read(self, call):
        first, limit = call.args.get("offset") or 1, call.args.get("limit")
        if not isinstance(first, int) or first < 1:
            raise Refusal("tool", "offset is the number of a line, 1 for the first.")
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise Refusal("tool", "limit is a number of lines, 1 or more.")
        withheld = Withheld(call.args.get("withhold"))
        with self.workspace.existing(call.get("path", str)) as place, FileWork(place.shown):
            if b".git" in place.path.lower().split(b"/"):
                raise Refusal("tool", f"{place.shown}: .git is git's own.")
            if any([withheld.holds(name) for name in place.names()]):
                return {"size": 0, "first_line": 0, "last_line": 0, "truncated": False, **withheld.reply()}
            fd = place.open(os.O_RDONLY)
            try:
                size = os.fstat(fd).st_size
                block, last, more = read_lines(fd, place.shown, first, limit, call.get("max_bytes", int))
            finally:
                os.close(fd)
        await self.outbox.send_data(call.id, block)
        return {"size": size, "first_line": first, "last_line": last, "truncated": more, **withheld.reply()}

    async def write(self, call):
        path, lint = call.get("path", str), call.args.get("lint")
        data = await call.whole_input()
        async with self.turn(call) if lint else NoTurn():
            with self.workspace.locate(path, make=True) as place, FileWork(place.shown):
                fd = place.open(os.O_WRONLY | (os.O_CREAT | os.O_EXCL if place.found is None else 0))
                try:
                    overwrite(fd, data)
                finally:
                    os.close(fd)
            return await self.written(place, len(data), lint)

    async def edit(self, call):
        old, new = encode(call.get("old", str)), encode(call.get("new", str))
        lint, max_bytes = call.args.get("lint"), call.get("max_bytes", int)
        if not old:
            raise Refusal("tool", "old_string is empty; give the text to replace.")
        if old == new:
            raise Refusal("tool", "old_string and new_string are identical.")
        async with self.turn(call) if lint else NoTurn():
            with self.workspace.existing(call.get("path", str)) as place, FileWork(place.shown):
                size = self.spliced(place, old, new, max_bytes)
            return await self.written(place, size, lint)

    def spliced(self, place, old, new, max_bytes):
        fd = place.open(os.O_RDWR)
        try:
            size = os.fstat(fd).st_size
            if size > max_bytes:
                raise Refusal("tool", f"{place.shown}: {size} bytes, more than the {max_bytes} an edit takes.")
            data = splice(os.pread(fd, size, 0), old, new, place.shown)
            overwrite(fd, data)
            return len(data)
        finally:
            os.close(fd)

    async def written(self, place, size, lint):
        said, started = None, time.monotonic()
        if lint and place.path.endswith(b".py"):
            said = await self.lint(lint, os.fsdecode(WORKSPACE + b"/" + place.path))
        ms = 0 if said is None else round((time.monotonic() - started) * 1000)
        return {"bytes": size, "path": printable(place.path), "lint": said, "lint_ms": ms}

    async def lint(self, lint, path):
        if not os.access(lint["argv"][0], os.X_OK):
            return ""  # a ruff of an environment that this container was not made with
        out = Bounded(SIDE_OUTPUT, SIDE_OUTPUT)
        seconds = lint["timeout_ms"] / 1000
        command = Command(self.processes, out, out)
        await command.run([*lint["argv"], path], dict(os.environ), os.fsdecode(WORKSPACE), seconds)
        if command.timed_out:
            return f"{lint['argv'][0]} did not end within {seconds:g} s.\n{out.text()}"
        if command.exit == 0:
            return ""
        return out.text() or f"{lint['argv'][0]} ended with {command.signal or command.exit}."

    async def glob(self, call):
        glob = Glob(workspace_pattern(call.get("pattern", str), "pattern"))
        limit, skipped = call.get("limit", int), name_filter(call.get("skip", list, []))
        withheld, deadline = Withheld(call.args.get("withhold")), time.monotonic() + SEARCH_SECONDS
        paths, open_folders = [], []
        try:
            open_folders.append(Listing(self.workspace.root(LIST), "", glob.start))
            open_folders[0].read(glob, skipped)
            turn = time.monotonic() + SEARCH_SLICE
            while open_folders and len(paths) <= limit:
                # by the clock: what a step costs is the pattern's doing
                if time.monotonic() > turn:
                    await breathe()
                    if time.monotonic() > deadline:
                        raise Refusal("tool", f"The search took longer than {SEARCH_SECONDS:g} s; narrow the pattern.")
                    turn = time.monotonic() + SEARCH_SLICE
                path = self.glob_step(glob, skipped, open_folders)
                if path is not None and not withheld.holds(path):
                    paths.append(path)
        finally:
            for folder in open_folders:
                os.close(folder.fd)
        return {"paths": paths[:limit], "truncated": len(paths) > limit, **withheld.reply()}

    def glob_step(self, glob, skipped, open_folders):
        """The next result, if this step came upon one."""
        folder = open_folders[-1]
        name, matched = next(folder.entries, (None, False))
        if name is None:
            os.close(open_folders.pop().fd)
            return None
        path = folder.prefix + name
        if name.endswith("/") and len(open_folders) < FOLDERS_DEEP:
            self.glob_below(glob, skipped, open_folders, path)
        return printable(os.fsencode(path)) if matched else None

    def glob_below(self, glob, skipped, open_folders, path):
        folder, name = open_folders[-1], path.rstrip("/").rpartition("/")[2]
        states = glob.below(folder.states, name)
        if not states:
            return
        try:
            fd = os.open(name, LIST, dir_fd=folder.fd)
        except OSError:
            return
        below = Listing(fd, path, states)
        open_folders.append(below)
        below.read(glob, skipped)

    async def grep(self, call):
        pattern, path_glob, limit = call.get("pattern", str), call.args.get("path_glob"), call.get("limit", int)
        if not pattern or "\0" in pattern:
            raise Refusal("tool", "The pattern is empty or holds a NUL byte.")
        where = [RG, "--no-config", "--no-messages", "--hidden", "--no-ignore", "--no-follow", "--null"]
        where += [f"--glob={text}" for text in path_globs(path_glob)]
        where += [f"--glob=!{name}/" for name in call.get("skip", list, [])]
        where += ["--glob=!.git"]
        argv = [*where, "--sort=path", "--line-number", "--no-heading", "--with-filename", "--color=never"]
        argv += [f"--max-columns={LINE_SHOWN}", "--max-columns-preview", f"--max-count={limit + 1}"]
        withheld = Withheld(call.args.get("withhold"))
        if withheld.like is not None:
            # whether it matches or not: what is said of a file that is not shown must not depend on its content
            await self.search([*where, "--files", "--", "./"], lambda: Names(withheld))
        matches, problem = await self.search([*argv, "-e", pattern, "--", "./"], lambda: Matches(limit, withheld))
        if problem and not matches.lines:
            raise Refusal("tool", problem)
        return {"lines": matches.lines, "truncated": matches.more, **withheld.reply()}

    async def search(self, argv, taker):
        for _ in range(3):
            found, problem, ended_itself = await self.search_once(argv, taker())
            if ended_itself:
                return found, problem
            # killed beside a command that was swept; it changes nothing, so it can be asked again
        raise Refusal("tool", "The search was killed by something in the container.")

    async def search_once(self, argv, matches):
        err, deadline = Bounded(SIDE_OUTPUT, 0), time.monotonic() + SEARCH_SECONDS
        command = Command(self.processes, matches, err)
        child = command.start(argv, TRUSTED_ENV, os.fsdecode(WORKSPACE))[0]
        self.processes.spared[child.pid] = child
        try:
            while child.status is None and not matches.more:
                if time.monotonic() >= deadline:
                    raise Refusal("tool", f"The search took longer than {SEARCH_SECONDS:g} s; narrow it.")
                await command.outputs.pump(deadline)
            ended_itself = matches.more or child.ending()[1] is None
            await command.outputs.drain()
        finally:
            await self.processes.kill_one(child)
            command.outputs.close()
        failed = not matches.more and child.ending()[0] == 2
        return matches, err.text().strip() if failed else "", ended_itself

    async def wipe(self):
        await self.processes.sweep()
        for folder in WIPED:
            await empty_folder(folder)
        remove_system_v()

    async def reset(self, call):
        commit = call.args.get("commit")
        async with self.turn(call):
            await self.wipe()
            if commit is not None:
                borrowing_git_dir(SCRATCH_GIT, object_id(commit, "commit"))
                await self.git(SCRATCH_GIT, "read-tree", commit)
        return {}

    async def fresh(self, call):
        tree = object_id(call.get("tree", str), "tree")
        started = time.monotonic()
        async with self.turn(call):
            await self.wipe()
            await empty_folder(os.fsdecode(WORKSPACE))
            borrowing_git_dir(CHECKOUT_GIT)
            await self.git(CHECKOUT_GIT, "read-tree", "--reset", "-u", tree)
            files = index_size(CHECKOUT_GIT)
            await empty_folder("/tmp")
        return {"files": files, "ms": round((time.monotonic() - started) * 1000)}

    async def git(self, git_dir, *args):
        workspace = os.fsdecode(WORKSPACE)
        # what is in memory is gone with the container
        argv = [GIT, "-c", "core.fsync=none", *args]
        code, _, problem = await self.trusted(argv, workspace, GIT_DIR=git_dir, GIT_WORK_TREE=workspace)
        if code == 0:
            return
        space = os.statvfs(WORKSPACE)
        if space.f_bavail * space.f_frsize < 64 * 1024 or space.f_ffree == 0:
            megabytes = space.f_blocks * space.f_frsize // (1024 * 1024)
            raise Refusal("io", f"The tree does not fit into the {megabytes} MB of /workspace.")
        raise Refusal("io", f"git {' '.join(args)} failed: {problem.strip()}")

    async def listen(self, call):
        return {"port": self.streams.listen()}

    async def self_test(self, call):
        status = dict(line.split(":\t", 1) for line in kernel_lines("/proc/self/status") if ":\t" in line)
        mounts = [mount(line) for line in kernel_lines("/proc/self/mountinfo")]
        capabilities = {"eff": "CapEff", "prm": "CapPrm", "inh": "CapInh", "bnd": "CapBnd", "amb": "CapAmb"}
        return {
            "uid": os.getuid(),
            "gid": os.getgid(),
            # a kernel that lists no ambient set (gVisor's) gives no more of it than is permitted
            "caps": {name: status.get(field, status["CapPrm"]).strip() for name, field in capabilities.items()},
            "no_new_privs": libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
            "seccomp": int(status["Seccomp"]),
            "others_limits": reaches_others(),
            "interfaces": interfaces(),
            "namespaces": namespaces(),
            "rootfs_readonly": readonly_root(mounts),
            "mounts": mounts,
            "env_names": sorted(os.environ),
            "readable_outside": reachable(call.get("probe", list, [])),
        }

    async def start_zygote(self, call):
        async with self.turn(call):
            if self.zygote is not None:
                await self.zygote.kill()
            self.zygote = Zygote(self.processes, call.get("argv", list), call.get("env", dict))
            ready = await self.zygote.start()
        return {**ready, "pid": self.zygote.child.pid}

    async def zygote_call(self, call):
        if self.zygote is None:
            raise Refusal("usage", "There is no zygote to call.")
        payload, seconds = call.get("payload", object), call.get("timeout_ms", int) / 1000
        data = await call.whole_input()
        started = time.monotonic()
        async with self.turn(call):
            restarted = await self.revive_zygote()
            report, output = Streamed(self.outbox, call.id, REPORT_LIMIT), self.output_of(call)
            work = ZygoteCall(self.zygote, report, output)
            await work.run(payload, data, seconds)
            restarted = await self.revive_zygote() or restarted
        if work.answer is None and not work.timed_out:
            raise Refusal("zygote_lost", "The zygote died under the call.")
        answer = work.answer or {}
        number = answer.get("signal")
        return {
            "exit": answer.get("exit"),
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

    async def revive_zygote(self):
        if self.zygote.alive():
            return False
        await self.zygote.start()
        return True


def ending(command):
    return {
        "exit": command.exit,
        "signal": command.signal,
        "timed_out": command.timed_out,
        "killed": command.killed,
        "ms": command.ms,
    }


def path_globs(path_glob):
    """A plain name may be a folder, and one that ends in a slash is one: then what is below it is meant. The workspace
    itself is `*`, which matches everything."""
    if path_glob is None:
        return []
    if path_glob.startswith("!"):
        return ["!" + workspace_pattern(path_glob[1:], "path_glob")]
    text = workspace_pattern(path_glob, "path_glob")
    if path_glob.endswith("/") and text != "*":
        return [text + "/**"]
    return [text] if any(c in text for c in "*?[{") else [text, text + "/**"]


def index_size(git_dir):
    with open(f"{git_dir}/index", "rb") as index:
        return struct.unpack("!I", index.read(12)[8:])[0]


def kernel_lines(path):
    """Lines as the kernel ends them: what else Python takes for an end of line may be part of a path."""
    with open(path, encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def mount(line):
    before, _, after = line.partition(" - ")
    fields, (fstype, source, _) = before.split(" "), after.split(" ")[:3]
    return {"dest": fields[4], "root": fields[3], "fstype": fstype, "source": source, "options": fields[5].split(",")}


def reaches_others():
    """Whether a process can set the limits of one that it names. Process 1 names itself here, and sets what it has."""
    try:
        resource.prlimit(os.getpid(), resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))
    except PermissionError:
        return False
    return True


def interfaces():
    """As the kernel lists them for this process, and for the /sys it was given, where that can be listed (not in gVisor)."""
    own = {line.partition(":")[0].strip() for line in kernel_lines("/proc/self/net/dev")[2:]}
    try:
        return sorted(own.union(os.listdir("/sys/class/net")))
    except OSError:
        return sorted(own)


def namespaces():
    """Names this container's namespaces, to be told apart from the host's where both are of one kernel."""
    try:
        named = {"boot": "".join(kernel_lines("/proc/sys/kernel/random/boot_id"))}
        return {**named, **{kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "ipc", "pid", "uts")}}
    except OSError:
        return {}  # gVisor's kernel has none to name


def readonly_root(mounts):
    """By the root itself; gVisor's statvfs has no flags, its table of mounts has them."""
    if os.statvfs("/").f_flag & os.ST_RDONLY:
        return True
    return any(each["dest"] == "/" and "ro" in each["options"] for each in mounts)


def reachable(probe):
    """Paths that a container of ours must not have, and has."""
    wanted = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"]
    wanted += ["/root/.ssh", "/prd.json", "/checkpoint.json", "/events.jsonl", "/sessions", "/host", "/dev/kmsg"]
    found = [path for path in [*wanted, *probe] if os.access(path, os.R_OK)]
    kernel = ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern")
    return found + [path for path in kernel if os.access(path, os.W_OK)]


class Runner:
    def __init__(self, stdin, stdout, stderr, oom_fd, lease):
        self.loop = Loop()
        self.stdin = stdin
        self.stderr = stderr
        self.lease = lease
        self.buffer = bytearray()
        self.held = 0
        self.calls = {}
        self.outbox = Outbox(self.loop, stdout)
        self.operations = Operations(self.loop, self.outbox, Processes(self.loop, oom_fd))
        self.listener = None

    def run(self):
        self.listener = self.loop.start(self.listen())
        self.loop.run()

    async def listen(self):
        await self.find_magic()
        hello = {"protocol": PROTOCOL, "pid": os.getpid(), "python": sys.version.split()[0]}
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
            while self.held > INPUT_LIMIT:
                await sleep()
            await self.read_more()

    async def find_magic(self):
        """What stands before it is the engine's: podman puts its request body there."""
        while (at := self.buffer.find(MAGIC)) < 0:
            if len(self.buffer) > MAGIC_WITHIN:
                raise SystemExit("no tilth at the other end")
            await self.read_more()
        del self.buffer[: at + len(MAGIC)]

    async def read_more(self):
        """A stopped brain sends no end of file, so silence ends the runner too."""
        if not await sleep({self.stdin: select.POLLIN}, time.monotonic() + self.lease):
            raise SystemExit("the brain has been silent for too long")
        data = read_some(self.stdin, 256 * 1024)
        if data == b"":
            os._exit(0)
        self.buffer += data or b""

    def receive(self, kind, call_id, payload):
        call = self.calls.get(call_id)
        if kind == PING:
            self.outbox.send(PONG, call_id)
        elif kind == CALL:
            self.calls[call_id] = Call(self, call_id, json.loads(payload))
            self.loop.start(self.serve(self.calls[call_id]))
        elif kind in (BYTES, CREDIT, FINISH, ABANDON):
            self.operations.streams.receive(kind, call_id, payload)
        elif call is None:
            pass  # it has been answered meanwhile
        elif kind == DATA_IN:
            call.receive(payload)
        elif kind == END:
            call.ended = True
            self.loop.wake(call.fiber)
        elif kind == CANCEL and not call.cancelled:
            call.cancelled = True
            self.loop.cancel(call.fiber)

    def release(self, size):
        before, self.held = self.held, self.held - size
        if self.held <= INPUT_LIMIT < before:
            self.loop.wake(self.listener)

    async def serve(self, call):
        call.fiber = self.loop.current
        try:
            result = {"ok": True, **await self.operations.perform(call)}
        except Refusal as refusal:
            result = {"ok": False, "code": refusal.code, "message": str(refusal)}
        except Cancelled:
            result = {"ok": False, "code": "cancelled", "message": "Cancelled."}
        except OSError as error:
            result = {"ok": False, "code": "io", "message": f"{call.args.get('op')}: {error}."}
        except Exception as bug:
            import traceback

            os.write(self.stderr, traceback.format_exc().encode())
            result = {"ok": False, "code": "io", "message": f"{call.args.get('op')}: {type(bug).__name__}: {bug}"}
        del self.calls[call.id]
        while call.inbox:
            call.take()
        self.answer(call, result)

    def answer(self, call, result):
        """`swept`: nothing that the call has started is alive. The brain takes no answer without it."""
        text = json.dumps({**result, "swept": call.swept}, separators=(",", ":")).encode()
        if len(text) > MAX_FRAME - 5:
            too_large = {"ok": False, "code": "io", "message": "The result is too large.", "swept": call.swept}
            self.outbox.send_json(RESULT, call.id, too_large)
        else:
            self.outbox.send(RESULT, call.id, text)


def out_of_reach(fd):
    """The pipe on a high descriptor, and nothing to write to in its old place."""
    high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 200)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, fd)
    os.close(null)
    return high


def main(argv):
    if os.getpid() != 1:
        sys.exit("the runner kills every process it can see: it runs as process 1 of a container or not at all")
    lease = float(argv[argv.index("--lease-seconds") + 1]) if "--lease-seconds" in argv else 60.0
    # undumpable, its own /proc files belong to root: what is needed of them is opened before
    oom_fd = os.open("/proc/self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
        sys.exit("the runner could not make itself undumpable")
    # the kernel drops every signal that process 1 has no handler for; Python has one for SIGINT
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)
    stdin, stdout, stderr = out_of_reach(0), out_of_reach(1), out_of_reach(2)
    os.set_blocking(stdin, False)
    os.set_blocking(stdout, False)
    try:
        Runner(stdin, stdout, stderr, oom_fd, lease).run()
    except SystemExit as reason:
        os.write(stderr, f"runner: {reason}\n".encode())
    except BaseException:
        import traceback

        os.write(stderr, traceback.format_exc().encode())
    finally:
        os._exit(70)


main(sys.argv[1:])
