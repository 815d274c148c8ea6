"""Starts the resident: `/opt/tilth/python -I -S /opt/tilth/resident/__main__.pyc`."""

import ctypes
import fcntl
import os
import signal
import sys

# an isolated Python has its library alone on the path; this comes last, so that nothing in it can replace a library module
sys.path.append("/opt/tilth")

from resident.channel import Channel

PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4

libc = ctypes.CDLL(None)


def out_of_reach(fd: int) -> int:
    """Moves the pipe to a high descriptor, and leaves nothing to write to in its old place."""
    high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 200)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, fd)
    os.close(null)
    return high


def main(argv: list[str]) -> None:
    if os.getpid() != 1:
        sys.exit("the resident kills every process it can see: it runs as process 1 of a container or not at all")
    lease = float(argv[argv.index("--lease-seconds") + 1]) if "--lease-seconds" in argv else 60.0
    # undumpable, its own /proc files belong to root: the one that is needed is opened before
    oom_fd = os.open("/proc/self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
        sys.exit("the resident could not make itself undumpable")
    # the kernel drops every signal that process 1 has no handler for; Python has one for SIGINT
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)
    stdin, stdout, stderr = out_of_reach(0), out_of_reach(1), out_of_reach(2)
    os.set_blocking(stdin, False)
    os.set_blocking(stdout, False)
    try:
        Channel(stdin, stdout, stderr, oom_fd, lease).run()
    except SystemExit as reason:
        os.write(stderr, f"resident: {reason}\n".encode())
    except BaseException:
        import traceback

        os.write(stderr, traceback.format_exc().encode())
    finally:
        os._exit(70)


main(sys.argv[1:])
