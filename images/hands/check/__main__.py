"""Starts the zygote of a check container: imports pytest, and what tests commonly import, before any tree arrives; then
forks a child for each request. Nothing that a tree holds can stand in for a module that is loaded already."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_DUMPABLE = 4


def load_zygote() -> Callable[[socket.socket], None]:
    """Imports our own modules and takes their names out of sys.modules, so that no tree can import or replace one."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, home)
    try:
        from check.zygote import run

        return run
    finally:
        sys.path.remove(home)
        for name in [name for name in sys.modules if name.partition(".")[0] == "check"]:
            del sys.modules[name]


def main() -> None:
    # a program that a test starts has our uid: it must not reach our memory or descriptors
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    sys.dont_write_bytecode = True
    control = socket.socket(fileno=int(os.environ.pop("TILTH_ZYGOTE_FD")))
    control.set_inheritable(False)
    run = load_zygote()
    run(control)


if __name__ == "__main__":
    main()
