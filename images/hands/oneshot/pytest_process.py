"""The pytest of the one-shot check, in a process of its own. Its report goes through a descriptor that it is handed over
a socket: no argument, no variable and no file names it, and what comes without the nonce is no report."""

from __future__ import annotations

import ctypes
import fcntl
import os
import random
import socket
import sys
from os import _exit

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from check.project.options import ProjectOptions
    from oneshot.pytest_report import Seen, Test

PR_SET_DUMPABLE = 4
NONCE_BYTES = 64
PLAIN = ["--import-mode=append", "-p", "no:cacheprovider", "-q", "--color=no"]


def main() -> None:
    # a program that a test starts has our uid: it must not reach our memory or descriptors
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    nonce, report = handed_over()
    options_for, json_of, write_all = load_parts()
    options = options_for(["."])
    arguments = options.arguments()
    sys.argv = ["pytest"]
    results = Results()
    code = None
    if not options.unserved:
        sys.path.extend(options.paths())
        code = int(pytest.main([*PLAIN, *arguments], plugins=[results]))
    said: Seen = {
        "nonce": nonce,
        "exit": code,
        "finished": results.finished,
        "tests": list(results.tests.values()),
        "dropped": options.dropped,
        "unserved": options.unserved,
    }
    write_all(report, json_of(said))
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        _exit(code or 0)


def load_parts() -> tuple[
    Callable[[list[str]], ProjectOptions], Callable[[object], bytes], Callable[[int, bytes], None]
]:
    """Isolated, as this process is: the project stands behind the library and the image's packages. It may have a package
    of our name, so that ours are taken out of sys.modules."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from check.project.options import ProjectOptions
    from check.run.sending import json_of, write_all

    del sys.path[0]
    for name in [name for name in sys.modules if name.partition(".")[0] == "check"]:
        del sys.modules[name]
    return ProjectOptions, json_of, write_all


def handed_over() -> tuple[str, int]:
    """The nonce, and the report's descriptor at a number nobody can guess."""
    with socket.socket(fileno=0) as control:
        nonce, descriptors, _, _ = socket.recv_fds(control, NONCE_BYTES, 1)
    null = os.open("/dev/null", os.O_RDONLY)
    if null != 0:
        os.dup2(null, 0)
        os.close(null)
    given = descriptors[0]
    report = fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, random.SystemRandom().randrange(100, 900))
    os.close(given)
    return nonce.decode(), report


class Results:
    """The one outcome of each test: the call's, unless setting up or tearing down went wrong."""

    def __init__(self) -> None:
        self.tests: dict[str, Test] = {}
        self.finished = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            outcome = "error" if report.failed and report.when != "call" else report.outcome
            self.tests[report.nodeid] = {"id": report.nodeid, "outcome": outcome, "text": report.longreprtext}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.tests[report.nodeid] = {"id": report.nodeid, "outcome": "error", "text": report.longreprtext}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        result = yield
        self.finished = True  # a session that ends early raises before this
        return result


if __name__ == "__main__":
    main()
