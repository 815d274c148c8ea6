"""Takes all that there is of something a user or a container has a limited sum of, and keeps it in a daemon: `hoard.py NAME`.
Prints `short` once another process of the same user can get no more of it.
"""

import array
import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
import subprocess
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
IPC_CREAT, IPC_PRIVATE = 0o1000, 0
PR_SET_CHILD_SUBREAPER = 36
F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032
HELD = []  # objects that have to stay open


def until_refused(take, most=100_000):
    """Whether taking was refused in the end."""
    for _ in range(most):
        try:
            HELD.append(take())
        except OSError:
            return True
    return False


def checked(done):
    if done < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return done


def apart(probe):
    """Runs the probe in a process that holds nothing itself."""
    def run():
        pid = os.fork()
        if pid == 0:
            resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
            os.closerange(3, 8192)
            os._exit(0 if probe() else 1)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

    return run


def inotify():
    return checked(libc.inotify_init1(0))


def inotify_is_short():
    try:
        inotify()
        return False
    except OSError:
        return True


def wide_pipe():
    reader, writer = os.pipe()
    HELD.extend((reader, writer))
    if fcntl.fcntl(reader, F_GETPIPE_SZ) < 65536:
        raise OSError(errno.ENFILE, "narrow")
    try:
        fcntl.fcntl(reader, F_SETPIPE_SZ, 1024 * 1024)
    except OSError:
        pass


def pipe_is_narrow():
    reader, _ = os.pipe()
    return fcntl.fcntl(reader, F_GETPIPE_SZ) < 65536


def timer():
    checked(libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())))


def timer_is_short():
    try:
        timer()
        return False
    except OSError:
        return True


def fork_sleeper():
    pid = os.fork()
    if pid == 0:
        while True:
            time.sleep(60)
    return pid


def in_flight():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    HELD.extend((ours, theirs))
    fds = array.array("i", [0] * 250)
    until_refused(lambda: ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)], socket.MSG_DONTWAIT))


def passing_is_short():
    ours, theirs = socket.socketpair()
    try:
        ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 0]))])
        return False
    except OSError as error:
        return error.errno == errno.ETOOMANYREFS


def pass_many():
    for _ in range(200):
        in_flight()
    return True


def fill(folder):
    def run():
        chunk = bytes(1024 * 1024)
        with open(f"{folder}/full", "wb", buffering=0) as file:
            try:
                while file.write(chunk):
                    pass
            except OSError as error:
                return error.errno == errno.ENOSPC
        return False

    return run


def no_room(folder):
    def probe():
        try:
            with open(f"{folder}/more", "wb", buffering=0) as file:
                file.write(bytes(8192))
            return False
        except OSError:
            return True

    return probe


def queues():
    made = []

    def take():
        made.append(None)
        return checked(libc.mq_open(f"/{os.getpid()}-{len(made)}".encode(), os.O_CREAT | os.O_RDWR, 0o600, None))

    return until_refused(take, 2000)


def queue_is_short():
    return libc.mq_open(b"/one-more", os.O_CREAT | os.O_RDWR, 0o600, None) < 0


def segments():
    # pages that nobody has touched do not exist yet, so attaching costs nothing
    libc.shmat.restype = ctypes.c_void_p
    for _ in range(40):
        HELD.append(libc.shmat(checked(libc.shmget(IPC_PRIVATE, 16 * 1024 * 1024, IPC_CREAT | 0o600)), None, 0))
    return True


def semaphores():
    return until_refused(lambda: checked(libc.semget(IPC_PRIVATE, 32, IPC_CREAT | 0o600)), 40_000)


def semaphore_is_short():
    return libc.semget(IPC_PRIVATE, 32, IPC_CREAT | 0o600) < 0


def message_queues():
    return until_refused(lambda: checked(libc.msgget(IPC_PRIVATE, IPC_CREAT | 0o600)), 40_000)


def message_queue_is_short():
    return libc.msgget(IPC_PRIVATE, IPC_CREAT | 0o600) < 0


def lock():
    fd = os.open("/workspace/file", os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    HELD.append(fd)
    return True


def locked():
    try:
        os.open("/workspace/file", os.O_RDONLY | os.O_NONBLOCK)
        return False
    except BlockingIOError:
        return True


def storm():
    for _ in range(4):
        if os.fork() == 0:
            while True:
                os.kill(1, signal.SIGCHLD)
    return True


def subreaper():
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.fork() == 0:
        os.setsid()
        fork_sleeper()
        os._exit(0)
    time.sleep(0.05)
    return True


def stopped():
    pid = fork_sleeper()
    os.kill(pid, signal.SIGSTOP)
    # its parent waits in vfork, where only a kill reaches it
    vforked = subprocess.Popen([sys.executable, "-c", "import ctypes, os\nif not ctypes.CDLL(None).vfork(): os.execv('/bin/sleep', ['sleep', '60'])"])
    HELD.append(vforked)
    return True


def always():
    return True


WAYS = {
    "files": (lambda: until_refused(lambda: os.open("/dev/null", os.O_RDONLY)), always),
    "inotify": (lambda: until_refused(inotify), apart(inotify_is_short)),
    "pipes": (lambda: until_refused(wide_pipe), apart(pipe_is_narrow)),
    "timers": (lambda: until_refused(timer, 200_000), apart(timer_is_short)),
    "descriptors on their way": (pass_many, apart(passing_is_short)),
    "/tmp": (fill("/tmp"), no_room("/tmp")),
    "home": (fill("/home/tilth"), no_room("/home/tilth")),
    "/dev/shm": (fill("/dev/shm"), no_room("/dev/shm")),
    "message queues": (queues, queue_is_short),
    "System V memory": (segments, always),
    "System V semaphores": (semaphores, semaphore_is_short),
    "System V messages": (message_queues, message_queue_is_short),
    "locks": (lock, locked),
    "processes": (lambda: until_refused(fork_sleeper, 1000), always),
    "a storm of signals": (storm, always),
    "a reaper of its own": (subreaper, always),
    "stopped ones": (stopped, always),
}


def main(name):
    take, is_short = WAYS[name]
    answer, said = os.pipe()
    if os.fork():
        os.close(said)
        os.write(1, os.read(answer, 64))
        os._exit(0)
    os.setsid()
    refused = take()
    os.write(said, b"short" if refused and is_short() else b"plenty")
    for fd in (0, 1, 2, said):
        os.close(fd)
    while True:
        time.sleep(60)


main(sys.argv[1])
